import { fromEnv } from "@aws-sdk/credential-provider-env";

/**
 * Stands in for the SDK's default credential chain in the bundles: Lambda gives a function its
 * credentials in the environment, and the rest of the chain (profiles, single sign-on, instance
 * metadata) would be a quarter of every bundle.
 */
export const defaultProvider = fromEnv;
