import { beforeAll, expect, it } from "vitest";
import { openApiDocument } from "../../../scripts/openapi/document.ts";
import { postmanCollection } from "../../../scripts/published/postman.ts";

interface Item {
  readonly name: string;
  readonly item?: readonly Item[];
  readonly request?: {
    readonly method: string;
    readonly url: { readonly path: readonly string[] };
  };
}

const document = JSON.parse(JSON.stringify(openApiDocument())) as {
  readonly paths: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
};
let collection: object;
beforeAll(async () => {
  collection = await postmanCollection(document);
});

const callsIn = (items: readonly Item[]): string[] =>
  items.flatMap(({ item = [], request }) => [
    ...(request === undefined ? [] : [`${request.method} /${request.url.path.join("/")}`]),
    ...callsIn(item),
  ]);

it("the Postman collection contains every operation of the OpenAPI document", () => {
  const calls = Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.keys(methods).map(
      (method) => `${method.toUpperCase()} ${path.replaceAll(/\{(\w+)\}/g, ":$1")}`,
    ),
  );
  expect(callsIn((collection as { item: Item[] }).item).toSorted()).toEqual(calls.toSorted());
});

it("the Postman collection is identical each time it is generated from the same document", async () => {
  expect(JSON.stringify(await postmanCollection(document))).toBe(JSON.stringify(collection));
});
