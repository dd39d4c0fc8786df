import { useEffect, useState } from "preact/hooks";
import { Button } from "./button.tsx";
import { CheckIcon, CopyIcon } from "./icons.tsx";

const confirmationMs = 2_000;

interface Done {
  /** The text that was copied. The button's `text` may have changed since. */
  readonly text: string;
  readonly outcome: "copied" | "refused";
}

interface CopyButtonProps {
  readonly text: string;
  /** Completes the label for screen readers: `Copy the key`. */
  readonly what: string;
  /**
   * The visible words, with which the label for screen readers must begin.
   * @default Copy
   */
  readonly words?: string;
}

/** A button that copies text to the clipboard. */
export function CopyButton({ text, what, words = "Copy" }: CopyButtonProps) {
  const [done, setDone] = useState<Done>();
  useEffect(() => {
    if (done === undefined) return undefined;
    const timer = setTimeout(() => setDone(undefined), confirmationMs);
    return () => clearTimeout(timer);
  }, [done]);
  const copy = (): void => {
    navigator.clipboard.writeText(text).then(
      () => setDone({ text, outcome: "copied" }),
      () => setDone({ text, outcome: "refused" }),
    );
  };
  const outcome = done?.text === text ? done.outcome : undefined;
  const outcomes = { copied: "Copied", refused: "Copy failed" };
  return (
    <>
      <Button small {...(outcome ? {} : { label: `Copy ${what}` })} onClick={copy}>
        {outcome === "copied" ? <CheckIcon /> : <CopyIcon />}
        {outcome === undefined ? words : outcomes[outcome]}
      </Button>
      <span class="visually-hidden" role="status">
        {outcome !== undefined && outcomes[outcome]}
      </span>
    </>
  );
}

/** Shows a value with a button to copy it. `what` completes the button's label: `Copy the key`. */
export function Copyable({ text, what }: { readonly text: string; readonly what: string }) {
  return (
    <div class="copyable">
      <code>{text}</code>
      <CopyButton text={text} what={what} />
    </div>
  );
}
