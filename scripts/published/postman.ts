import converter from "openapi-to-postmanv2";
import * as v from "valibot";

const object = v.looseObject({});
const converted = v.object({
  reason: v.optional(v.string()),
  output: v.optional(v.array(v.object({ data: object })), []),
});

/**
 * Converts the OpenAPI document to a Postman collection 2.1. The collection has variables for the
 * address and the API key.
 * @throws Error with the reason if the library refuses the document
 */
export async function postmanCollection(document: unknown): Promise<object> {
  const options = { requestParametersResolution: "Example", folderStrategy: "Tags" } as const;
  const answer = await new Promise<unknown>((resolve, reject) => {
    converter.convert({ type: "json", data: v.parse(object, document) }, options, (error, result) =>
      error === null ? resolve(result) : reject(error),
    );
  });
  const { reason, output } = v.parse(converted, answer);
  const [collection] = output;
  if (collection === undefined) {
    throw new Error(
      `The OpenAPI document could not be converted to a Postman collection: ${reason}. Correct the operation in scripts/openapi.`,
    );
  }
  return withoutRandom(collection.data);
}

/**
 * Removes the random parts of a collection, so that the same document always results in the same
 * collection. The random parts are the IDs, and the values of the disabled optional query
 * parameters. Also removes the example responses, because the OpenAPI document contains them.
 */
const withoutRandom = (collection: object): object =>
  v.parse(object, JSON.parse(JSON.stringify(collection, fixedValue)));

function fixedValue(key: string, value: unknown): unknown {
  if (key === "response" || key === "_postman_id") return undefined;
  if (key === "id" && isPostmanId(value)) return undefined;
  return key === "query" ? v.parse(v.array(object), value).map(switchedOff) : value;
}

const switchedOff = (parameter: object): object =>
  Object.assign({}, parameter, { value: "", disabled: true });

const isPostmanId = (value: unknown): boolean =>
  typeof value === "string" && /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/.test(value);
