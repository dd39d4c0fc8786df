/** The browser build of `@scalar/api-reference`; `../bundle.ts` resolves the name. */
declare module "@scalar/api-reference/browser" {
  export function createApiReference(
    selector: string,
    configuration: Readonly<Record<string, unknown>>,
  ): unknown;
}
