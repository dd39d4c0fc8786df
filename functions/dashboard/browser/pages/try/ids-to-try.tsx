import { type ReservedId, reservedIds } from "../../../../../shared/scrapers/reserved-ids.ts";
import { Button } from "../../ui/button.tsx";

interface IdsToTryProps {
  /** The ID of the platform. */
  readonly platform: string;
  readonly onAdd: (id: string) => void;
}

const idsByPlatform: Readonly<Record<string, readonly ReservedId[]>> = reservedIds;

/**
 * Lists the reserved IDs of the sandbox and what a read of each ID returns. A button beside each ID
 * calls `onAdd` with the ID. Shows nothing for a platform without reserved IDs.
 */
export function IdsToTry({ platform, onAdd }: IdsToTryProps) {
  const ids = idsByPlatform[platform] ?? [];
  if (ids.length === 0) return null;
  return (
    <details class="ids-to-try">
      <summary>IDs to try</summary>
      <p class="field-hint">
        Items of the sandbox. Another source of the platform may not have them.
      </p>
      <ul class="plain-list" aria-label="IDs to try">
        {ids.map(({ id, description }) => (
          <li key={id}>
            <Button small label={`Add ${id}`} onClick={() => onAdd(id)}>
              Add
            </Button>
            <span class="two-lines">
              <code>{id}</code>
              <span class="muted small">{description}</span>
            </span>
          </li>
        ))}
      </ul>
    </details>
  );
}
