/** The version of the service. Equals `version` in package.json. */
export const version = "0.2.0";
