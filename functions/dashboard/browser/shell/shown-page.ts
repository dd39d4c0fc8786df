import type { ComponentType } from "preact";
import type { Section } from "./navigation.tsx";
import type { Parameters } from "./router.ts";

export interface PageProps {
  /** From the braces of the page's path. */
  readonly parameters: Parameters;
  /** What follows `?` in the part of the address behind `#`. */
  readonly query: URLSearchParams;
}

/** The page that a path leads to. */
export interface ShownPage {
  readonly page: ComponentType<PageProps>;
  /** Undefined for a page that the navigation does not lead to. */
  readonly section: Section | undefined;
  readonly parameters: Parameters;
}
