import { fromEnv } from "@aws-sdk/credential-provider-env";

/**
 * Replaces the SDK's default credential chain in the bundles. This provider reads credentials only
 * from environment variables, where Lambda provides them. The rest of the chain (profiles, single
 * sign-on, instance metadata) would be a quarter of every bundle.
 */
export const defaultProvider = fromEnv;
