import type { ComponentChildren } from "preact";
import type { ApiError } from "../api/api-error.ts";
import type { Query } from "../api/use-query.ts";
import { Button } from "./button.tsx";
import { WarningIcon } from "./icons.tsx";

/** Shows an error with its request ID, and a button to retry if `onRetry` is given. */
export function ErrorState({
  error,
  onRetry,
}: {
  readonly error: ApiError;
  readonly onRetry?: (() => void) | undefined;
}) {
  return (
    <div class="notice notice-bad" role="alert">
      <WarningIcon />
      <div>
        <p>{error.message}</p>
        {error.requestId !== undefined && (
          <p class="small">
            Request <code>{error.requestId}</code>
          </p>
        )}
      </div>
      {onRetry && (
        <Button small onClick={onRetry}>
          Try again
        </Button>
      )}
    </div>
  );
}

/** Shows a message and an optional action instead of an empty listing. */
export function EmptyState(props: {
  readonly title: string;
  readonly children?: ComponentChildren;
  readonly action?: ComponentChildren;
}) {
  return (
    <div class="empty">
      <p class="empty-title">{props.title}</p>
      {props.children !== undefined && <p class="muted">{props.children}</p>}
      {props.action}
    </div>
  );
}

/** Gray lines instead of content that is loading. */
export function Skeleton({ lines = 3 }: { readonly lines?: number }) {
  return (
    <div class="skeleton" role="status">
      <span class="visually-hidden">Loading</span>
      {Array.from({ length: lines }, (_, n) => (
        <span key={n} class="skeleton-line" aria-hidden="true" />
      ))}
    </div>
  );
}

/** A card with gray lines, instead of a card that is loading. */
export function SkeletonCard({ lines }: { readonly lines: number }) {
  return (
    <div class="card skeleton-card">
      <Skeleton lines={lines} />
    </div>
  );
}

interface LoadedProps<T> {
  readonly query: Query<T>;
  /**
   * Shown until the first result arrives.
   * @default three gray lines
   */
  readonly skeleton?: ComponentChildren;
  readonly children: (data: T) => ComponentChildren;
}

/**
 * Shows a skeleton until the first result arrives, then the newest result. After a failure, shows
 * the error, and below it the newest result if there is one.
 */
export function Loaded<T>({ query, skeleton, children }: LoadedProps<T>) {
  const { data, error, refresh } = query;
  return (
    <>
      {error && <ErrorState error={error} onRetry={refresh} />}
      {data === undefined ? !error && (skeleton ?? <Skeleton />) : children(data)}
    </>
  );
}

/** Shows a message in a colored box. */
export function Notice(props: {
  readonly tone: "info" | "good" | "warning" | "bad";
  readonly children: ComponentChildren;
}) {
  return <div class={`notice notice-${props.tone}`}>{props.children}</div>;
}
