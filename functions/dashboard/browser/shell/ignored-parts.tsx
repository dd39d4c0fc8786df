import { Notice } from "../ui/states.tsx";
import type { IgnoredPart } from "./page-query.ts";

/** Shows which parts of the address the page does not apply, and why. */
export function IgnoredParts({ parts }: { readonly parts: readonly IgnoredPart[] }) {
  if (parts.length === 0) return null;
  return (
    <Notice tone="warning">
      <div role="status">
        <p>The page ignores a part of its address:</p>
        <ul class="plain-list">
          {parts.map(({ name, value, reason }) => (
            <li key={name}>
              <code>
                {name}={value}
              </code>
              : {reason}.
            </li>
          ))}
        </ul>
      </div>
    </Notice>
  );
}
