import type { ComponentChildren } from "preact";
import { useId, useState } from "preact/hooks";
import { useRefusal } from "../api/session.ts";

interface ButtonProps {
  readonly children: ComponentChildren;
  readonly variant?: "primary" | "plain" | "danger" | "quiet";
  readonly type?: "button" | "submit";
  /** True while an action is in progress: shows a spinner and ignores clicks. */
  readonly busy?: boolean;
  /**
   * Why the button is disabled now; shown while the pointer is on the button, and after a click.
   */
  readonly disabledReason?: string | undefined;
  readonly wide?: boolean;
  readonly small?: boolean;
  /** A longer label for screen readers. Must contain the visible words. */
  readonly label?: string;
  readonly onClick?: () => void;
  /** True for a button that cancels. In a dialog without fields, this button receives the focus. */
  readonly isCancel?: boolean;
}

/**
 * A button. With a `disabledReason`, it keeps the focus, and a click shows the reason below it: a
 * touch screen has no pointer that could rest on the button.
 */
export function Button(props: ButtonProps) {
  const { type = "button", busy = false, disabledReason } = props;
  const id = useId();
  const blocked = disabledReason !== undefined;
  const [isAsked, setAsked] = useState(false);
  return (
    <>
      <button
        type={type}
        class={classOf(props)}
        aria-disabled={blocked || busy ? "true" : undefined}
        aria-busy={busy ? "true" : undefined}
        aria-describedby={blocked ? id : undefined}
        aria-label={props.label}
        title={disabledReason}
        data-cancel={props.isCancel}
        onClick={(event) => {
          if (!blocked && !busy) return props.onClick?.();
          setAsked(blocked);
          // A blocked or busy button must not submit its form.
          return event.preventDefault();
        }}
      >
        {busy && <span class="spinner" aria-hidden="true" />}
        {props.children}
      </button>
      {blocked && (
        <span id={id} class={isAsked ? "button-reason small" : "visually-hidden"}>
          {disabledReason}
        </span>
      )}
    </>
  );
}

const classOf = ({ variant = "plain", wide, small }: ButtonProps): string =>
  ["button", `button-${variant}`, wide && "button-wide", small && "button-small"]
    .filter(Boolean)
    .join(" ");

interface Writes {
  /** True if the change also changes what the account spends. */
  readonly spends?: boolean;
}

/** Returns the reason why the user cannot make a change; undefined if the user can. */
const useWriteRefusal = ({ spends = false }: Writes): string | undefined =>
  useRefusal(spends ? ["write", "spend"] : ["write"]);

/**
 * A button that changes something. It is disabled, and shows why, in the demo workspace and if the
 * user's key lacks a scope.
 */
export function WriteButton({ disabledReason, spends = false, ...props }: ButtonProps & Writes) {
  const refusal = useWriteRefusal({ spends });
  return <Button {...props} disabledReason={refusal ?? disabledReason} />;
}

interface LinkButtonProps {
  readonly href: string;
  readonly variant?: "primary" | "plain";
  readonly children: ComponentChildren;
}

/** A link that looks like a button. */
export function LinkButton(props: LinkButtonProps) {
  return (
    <a class={`button button-${props.variant ?? "plain"}`} href={props.href}>
      {props.children}
    </a>
  );
}

/**
 * A link to a form that changes something. In the demo workspace, and if the user's key lacks a
 * scope, it is a disabled button that shows why.
 */
export function WriteLink({ spends = false, ...props }: LinkButtonProps & Writes) {
  const refusal = useWriteRefusal({ spends });
  if (refusal === undefined) return <LinkButton {...props} />;
  const { variant = "plain", children } = props;
  return (
    <Button variant={variant} disabledReason={refusal}>
      {children}
    </Button>
  );
}
