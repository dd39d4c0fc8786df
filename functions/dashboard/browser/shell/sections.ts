/** The sections of the navigation, in order. */
export const sections = [
  { section: "changes", label: "What changed" },
  { section: "stock", label: "Out of stock" },
  { section: "overview", label: "Overview" },
  { section: "watchlists", label: "Watchlists" },
  { section: "webhooks", label: "Webhooks" },
  { section: "exports", label: "S3 export" },
  { section: "try", label: "Try it" },
  { section: "sources", label: "Sources" },
  { section: "keys", label: "API keys" },
] as const;

export type Section = (typeof sections)[number]["section"];
