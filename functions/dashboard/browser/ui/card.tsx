import type { ComponentChildren } from "preact";
import { useId } from "preact/hooks";

interface CardProps {
  readonly title: string;
  readonly actions?: ComponentChildren;
  /** True removes the horizontal padding, for content such as tables. */
  readonly flush?: boolean;
  readonly children: ComponentChildren;
}

/** A section of a page with a heading. */
export function Card({ title, actions, flush, children }: CardProps) {
  const id = useId();
  return (
    <section class={flush ? "card card-flush" : "card"} aria-labelledby={id}>
      <div class="card-head">
        <h2 id={id}>{title}</h2>
        {actions}
      </div>
      <div class="card-body">{children}</div>
    </section>
  );
}

/** Shows a number with its label and an optional note. */
export function Stat(props: {
  readonly label: string;
  readonly value: ComponentChildren;
  readonly note?: ComponentChildren;
}) {
  return (
    <div class="stat">
      <dt>{props.label}</dt>
      <dd class="stat-value number">{props.value}</dd>
      {props.note !== undefined && <dd class="stat-note">{props.note}</dd>}
    </div>
  );
}

/** Shows a list of names and values: `<Facts facts={[["Platform", "retailer_a"]]} />`. */
export function Facts(props: {
  readonly facts: readonly (readonly [string, ComponentChildren])[];
}) {
  return (
    <dl class="facts">
      {props.facts.map(([name, value]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  );
}
