import type { Pipeline } from "../../shared/pipelines/definition.ts";

/** Returns a copy of a pipeline in which each step ID starts with `r-`. */
export function renamed({ entry, baseline, refresh, steps }: Pipeline): Pipeline {
  const other = (id: string): string => `r-${id}`;
  return {
    entry: other(entry),
    baseline: baseline && other(baseline),
    refresh: refresh && { ...refresh, entry: other(refresh.entry) },
    steps: steps.map(({ id, routes, ...step }) => ({
      ...step,
      id: other(id),
      routes: routes.map(({ run, ...route }) =>
        run === undefined ? route : { ...route, run: other(run) },
      ),
    })),
  };
}
