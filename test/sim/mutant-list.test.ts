import { readFileSync } from "node:fs";
import { expect, it } from "vitest";
import { mutants } from "./mutant-list.ts";

it.each(mutants)(
  "the source text that the mutant $name replaces occurs exactly once in the file $file",
  ({ file, original }) => {
    const code = readFileSync(new URL(`../../${file}`, import.meta.url), "utf8");

    expect(code.split(original)).toHaveLength(2);
  },
);
