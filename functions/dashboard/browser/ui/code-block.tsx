import { CopyButton } from "./copy-button.tsx";

interface CodeBlockProps {
  /** The caption of the code, such as `curl`. */
  readonly label: string;
  readonly code: string;
  /** The text to copy if it differs from `code`, for example with the complete API key. */
  readonly copied?: string;
}

/** Shows code with a button to copy it. */
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
