import type { ComponentChildren } from "preact";
import { useId } from "preact/hooks";
import { useRefusal } from "../api/session.ts";

interface ButtonProps {
  readonly children: ComponentChildren;
  readonly variant?: "primary" | "plain" | "danger" | "quiet";
  readonly type?: "button" | "submit";
  /** True while an action is in progress: shows a spinner and ignores clicks. */
  readonly busy?: boolean;
  /** Why the button is disabled now; shown while the button has the focus or the pointer. */
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
 * A button. With a `disabledReason`, it keeps the focus and shows the reason, but ignores clicks.
 */
export function Button(props: ButtonProps) {
  const { variant = "plain", type = "button", busy = false, disabledReason } = props;
  const id = useId();
  const blocked = disabledReason !== undefined;
  const classes = ["button", `button-${variant}`];
  if (props.wide) classes.push("button-wide");
  if (props.small) classes.push("button-small");
  return (
    <>
      <button
        type={type}
        class={classes.join(" ")}
        aria-disabled={blocked || busy ? "true" : undefined}
        aria-busy={busy ? "true" : undefined}
        aria-describedby={blocked ? id : undefined}
        aria-label={props.label}
        title={disabledReason}
        data-cancel={props.isCancel}
        onClick={(event) => {
          if (!blocked && !busy) return props.onClick?.();
          // A blocked or busy button must not submit its form.
          return event.preventDefault();
        }}
      >
        {busy && <span class="spinner" aria-hidden="true" />}
        {props.children}
      </button>
      {blocked && (
        <span id={id} class="visually-hidden">
          {disabledReason}
        </span>
      )}
    </>
  );
}

interface WriteButtonProps extends ButtonProps {
  /** True if the change also changes what the account spends. */
  readonly spends?: boolean;
}

/**
 * A button that changes something. It is disabled, and shows why, in the demo workspace and if the
 * user's key lacks a scope.
 */
export function WriteButton({ disabledReason, spends = false, ...props }: WriteButtonProps) {
  const refusal = useRefusal(spends ? ["write", "spend"] : ["write"]);
  return <Button {...props} disabledReason={refusal ?? disabledReason} />;
}

/** A link that looks like a button. */
export function LinkButton(props: {
  readonly href: string;
  readonly variant?: "primary" | "plain";
  readonly children: ComponentChildren;
}) {
  return (
    <a class={`button button-${props.variant ?? "plain"}`} href={props.href}>
      {props.children}
    </a>
  );
}
