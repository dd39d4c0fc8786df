import {
  BookIcon,
  ChartIcon,
  CloudIcon,
  KeyIcon,
  ListIcon,
  PulseIcon,
  TerminalIcon,
  WebhookIcon,
} from "../ui/icons.tsx";

const sections = [
  { section: "changes", label: "What changed", icon: PulseIcon },
  { section: "overview", label: "Overview", icon: ChartIcon },
  { section: "watchlists", label: "Watchlists", icon: ListIcon },
  { section: "webhooks", label: "Webhooks", icon: WebhookIcon },
  { section: "exports", label: "S3 export", icon: CloudIcon },
  { section: "try", label: "Try it", icon: TerminalIcon },
  { section: "sources", label: "Sources", icon: PulseIcon },
  { section: "keys", label: "API keys", icon: KeyIcon },
] as const;

export type Section = (typeof sections)[number]["section"];

/**
 * Links to all sections and to the documentation. Marks the link of `section` as current; undefined
 * marks none.
 */
export function Navigation({ section: current }: { readonly section: Section | undefined }) {
  return (
    <nav aria-label="Main">
      <ul>
        {sections.map(({ section, label, icon: Icon }) => (
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
        ))}
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
