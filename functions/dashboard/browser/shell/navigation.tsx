import type { JSX } from "preact";
import {
  BookIcon,
  BoxIcon,
  ChartIcon,
  CloudIcon,
  DeltaIcon,
  KeyIcon,
  ListIcon,
  PulseIcon,
  TerminalIcon,
  WebhookIcon,
} from "../ui/icons.tsx";
import { type Section, sections } from "./sections.ts";

const icons: Readonly<Record<Section, () => JSX.Element>> = {
  changes: DeltaIcon,
  stock: BoxIcon,
  overview: ChartIcon,
  watchlists: ListIcon,
  webhooks: WebhookIcon,
  exports: CloudIcon,
  try: TerminalIcon,
  sources: PulseIcon,
  keys: KeyIcon,
};

/**
 * Links to all sections and to the documentation. Marks the link of `section` as current; undefined
 * marks none.
 */
export function Navigation({ section: current }: { readonly section: Section | undefined }) {
  return (
    <nav aria-label="Main">
      <ul>
        {sections.map(({ section, label }) => {
          const Icon = icons[section];
          return (
            <li key={section}>
              <a
                class="nav-link"
                href={`#/${section}`}
                aria-current={section === current ? "page" : undefined}
              >
                <Icon />
                {label}
              </a>
            </li>
          );
        })}
        <li class="nav-gap">
          <a class="nav-link" href="docs">
            <BookIcon />
            Documentation
          </a>
        </li>
      </ul>
    </nav>
  );
}
