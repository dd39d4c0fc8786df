import { once } from "../clients.ts";

/** The names of the methods of a port that return a promise. */
type AsyncMethod<Port> = {
  [Name in keyof Port]: Port[Name] extends (...args: never[]) => Promise<unknown> ? Name : never;
}[keyof Port];

/**
 * Creates a port whose adapter loads at the first call of one of its methods, so that a cold start
 * does not wait for it. Every call rejects if the adapter cannot be loaded.
 * @param load imports and creates the adapter. It is called at most once.
 * @param methods the methods of the port to forward. If one is missing, the result does not have
 * the type of the port.
 */
export function portOnFirstUse<Port, Method extends AsyncMethod<Port>>(
  load: () => Promise<Port>,
  methods: readonly Method[],
): Pick<Port, Method> {
  const loaded = once(load);
  const forward =
    (method: Method) =>
    async (...args: unknown[]): Promise<unknown> => {
      const port = await loaded();
      return (port[method] as (...args: unknown[]) => Promise<unknown>).apply(port, args);
    };
  const entries = methods.map((method) => [method, forward(method)] as const);
  return Object.fromEntries(entries) as unknown as Pick<Port, Method>;
}
