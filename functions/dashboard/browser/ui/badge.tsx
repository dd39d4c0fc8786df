import type { ComponentChildren } from "preact";

export type Tone = "neutral" | "info" | "good" | "warning" | "bad";

/** A short label for a state. */
export function Badge(props: { readonly tone?: Tone; readonly children: ComponentChildren }) {
  return <span class={`badge badge-${props.tone ?? "neutral"}`}>{props.children}</span>;
}

const tones: Readonly<Record<string, Tone>> = {
  active: "good",
  operational: "good",
  ample: "good",
  enabled: "good",
  completed: "good",
  delivered: "good",
  done: "good",
  succeeded: "good",
  ok: "good",
  running: "info",
  pending: "info",
  retrying: "warning",
  paused: "warning",
  partial: "warning",
  insufficient_credits: "warning",
  held: "warning",
  degraded: "warning",
  low: "warning",
  failed: "bad",
  down: "bad",
  exhausted: "bad",
  failing: "bad",
  delisted: "bad",
  not_found: "bad",
  unavailable: "bad",
};

/**
 * Shows a state of the API as a badge. Each state has the same color on every page; an unknown
 * state is gray.
 */
export function StateBadge({ state }: { readonly state: string }) {
  return <Badge tone={tones[state] ?? "neutral"}>{state.replaceAll("_", " ")}</Badge>;
}
