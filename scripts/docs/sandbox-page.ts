import { delistingIds, reservedIds } from "../../shared/scrapers/reserved-ids.ts";

/** Returns the page `/docs/sandbox` in Markdown: the IDs with a scripted behavior, by platform. */
export function sandboxPage(): string {
  const platforms = Object.entries(reservedIds).map(([platform, ids]) => {
    const delisting = delistingIds[platform as keyof typeof delistingIds];
    const rows = [
      ...ids,
      {
        id: delisting.pattern.source.replaceAll(/[\^$()]/g, ""),
        description: delisting.description,
      },
    ];
    return [
      `## ${platform}`,
      [
        "| ID | behavior |",
        "| --- | --- |",
        ...rows.map(
          ({ id, description }) => `| \`${id}\` | ${description.replaceAll("|", "\\|")} |`,
        ),
      ].join("\n"),
    ].join("\n\n");
  });
  return [
    "# Sandbox IDs",
    "The sandbox is a source with invented products. These IDs have a scripted behavior, so that " +
      "you can test cases that are rare at a retailer. Any other valid ID returns an invented " +
      "product whose price and stock change. Reads are charged as usual.",
    ...platforms,
  ].join("\n\n");
}
