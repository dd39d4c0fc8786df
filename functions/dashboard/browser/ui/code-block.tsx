import { CopyButton } from "./copy-button.tsx";

interface CodeBlockProps {
  /** What it is, such as `curl`. */
  readonly label: string;
  readonly code: string;
  /** Copied instead of what is shown, such as with the whole key. */
  readonly copied?: string;
}

/** Code to read and to copy. */
export function CodeBlock({ label, code, copied }: CodeBlockProps) {
  return (
    <figure class="code-block">
      <figcaption>
        <span>{label}</span>
        <CopyButton text={copied ?? code} what={label} />
      </figcaption>
      <pre tabIndex={0} role="region" aria-label={label}>
        <code>{code}</code>
      </pre>
    </figure>
  );
}
