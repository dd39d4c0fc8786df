import type { ComponentType } from "preact";
import type { Section } from "./sections.ts";
import type { Parameters } from "./router.ts";

export interface PageProps {
  /** The values of the path parameters, by name. */
  readonly parameters: Parameters;
  /** The query in the part of the address after `#`. */
  readonly query: URLSearchParams;
}

/** The page for a path, with its parameters. */
export interface ShownPage {
  readonly page: ComponentType<PageProps>;
  /** The section to highlight in the navigation; undefined for a page outside all sections. */
  readonly section: Section | undefined;
  readonly parameters: Parameters;
}
