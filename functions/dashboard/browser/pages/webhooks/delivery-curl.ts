/** A request of a delivery, as the service sent it. */
interface SentRequest {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/**
 * Returns a curl command that repeats a request of a delivery, with the same headers and the same
 * bytes.
 */
export const curlOf = ({ url, headers, body }: SentRequest): string =>
  [
    `curl -X POST ${quoted(url)}`,
    ...Object.entries(headers)
      .filter(([name]) => !isSetByCurl(name))
      .map(([name, value]) => `-H ${quoted(`${name}: ${value}`)}`),
    // `--data-binary` does not remove line ends, which the signature covers.
    `--data-binary ${quoted(body)}`,
  ].join(" \\\n  ");

const isSetByCurl = (name: string): boolean => /^(content-length|host)$/i.test(name);

/** Quotes a string for a POSIX shell, which interprets nothing between single quotes. */
const quoted = (text: string): string => `'${text.replaceAll("'", String.raw`'\''`)}'`;
