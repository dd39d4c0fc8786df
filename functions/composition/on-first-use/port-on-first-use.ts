import { once } from "../clients.ts";

type AsyncMethods<Method extends PropertyKey> = Record<
  Method,
  (...args: never[]) => Promise<unknown>
>;

/**
 * Creates a port whose implementation loads at the first call of one of the methods, so that a cold
 * start does not wait for it. Every call rejects if the implementation cannot be loaded.
 * @param load imports and creates the implementation; called at most once
 * @param methods the methods of the port to forward. The result has only these methods, so the
 * compiler reports a missing one where the complete port is needed.
 */
export function portOnFirstUse<Port extends AsyncMethods<Method>, Method extends keyof Port>(
  load: () => Promise<Port>,
  methods: readonly Method[],
): Pick<Port, Method> {
  const loaded = once(load);
  const forward =
    (method: Method) =>
    async (...args: readonly unknown[]): Promise<unknown> => {
      const port = await loaded();
      const result: unknown = await Reflect.apply(port[method], port, args);
      return result;
    };
  const port: unknown = Object.fromEntries(methods.map((method) => [method, forward(method)]));
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- fromEntries returns no method names
  return port as Pick<Port, Method>;
}
