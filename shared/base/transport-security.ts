/**
 * Value of the header `Strict-Transport-Security`: for a year, browsers connect to the host with
 * HTTPS only. It does not include subdomains, which may belong to other services.
 */
export const strictTransportSecurity = "max-age=31536000";
