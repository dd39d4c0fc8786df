import { fromEnv } from "@aws-sdk/credential-provider-env";

/**
 * Replaces the SDK's default credential chain in the bundles. Lambda passes credentials in environment
 * variables; the rest of the chain (profiles, single sign-on, instance metadata) would be a quarter of
 * every bundle.
 */
export const defaultProvider = fromEnv;
