import type { Pipeline } from "../../api/resources.ts";
import { type Route, routeWords, startsAt } from "./pipeline-words.ts";

/** The size of a step's box in pixels. */
export const nodeSize = { width: 204, height: 84 } as const;
const gap = { x: 136, y: 36 } as const;
const margin = { x: 4, y: 16 } as const;

/** The box of a step, with the offset of its upper left corner in pixels. */
export interface NodeBox {
  readonly id: string;
  readonly scraper: string;
  /** Labels of the runs that start at the step, such as `every run`. */
  readonly starts: readonly string[];
  /** Labels of the routes that report changes. */
  readonly reports: readonly string[];
  readonly x: number;
  readonly y: number;
}

/** The arrow for all routes from one step to another. */
export interface Edge {
  readonly from: NodeBox;
  readonly to: NodeBox;
  /** Labels of the routes. */
  readonly words: readonly string[];
}

/** The boxes and arrows of a graph, with its size in pixels. */
export interface Layout {
  readonly nodes: readonly NodeBox[];
  readonly edges: readonly Edge[];
  readonly width: number;
  readonly height: number;
}

/**
 * Returns the boxes and arrows of a pipeline's graph, in pixels. Each step is in a column to the
 * right of all steps that lead to it.
 */
export function layOut(pipeline: Pipeline): Layout {
  const columns = columnsOf(pipeline);
  const filled = new Map<number, number>();
  const nodes = pipeline.steps.map((step): NodeBox => {
    const column = columns.get(step.id) ?? 0;
    const row = filled.get(column) ?? 0;
    filled.set(column, row + 1);
    return {
      id: step.id,
      scraper: step.scraper,
      starts: startsAt(pipeline, step.id),
      reports: step.routes.filter(({ notify }) => notify === true).map(routeWords),
      x: margin.x + column * (nodeSize.width + gap.x),
      y: margin.y + row * (nodeSize.height + gap.y),
    };
  });
  return {
    nodes,
    edges: edgesOf(pipeline, nodes),
    width: Math.max(...nodes.map(({ x }) => x)) + nodeSize.width + margin.x,
    height: Math.max(...nodes.map(({ y }) => y)) + nodeSize.height + margin.x,
  };
}

/**
 * Returns the column of each step, counted from 0: the length of the longest path to the step. As
 * many passes as there are steps are enough, because a pipeline has no loops.
 */
function columnsOf({ steps }: Pipeline): ReadonlyMap<string, number> {
  const columns = new Map(steps.map(({ id }) => [id, 0]));
  for (const _ of steps) {
    for (const step of steps) {
      const next = (columns.get(step.id) ?? 0) + 1;
      for (const { run } of step.routes) {
        if (run !== undefined) columns.set(run, Math.max(columns.get(run) ?? 0, next));
      }
    }
  }
  return columns;
}

function edgesOf({ steps }: Pipeline, nodes: readonly NodeBox[]): readonly Edge[] {
  const box = (id: string): NodeBox | undefined => nodes.find((node) => node.id === id);
  return steps.flatMap((step) =>
    [...targetsOf(step.routes)].flatMap(([target, words]): readonly Edge[] => {
      const [from, to] = [box(step.id), box(target)];
      return from === undefined || to === undefined ? [] : [{ from, to, words }];
    }),
  );
}

/**
 * Returns the labels of the routes by the ID of the step to which they lead. Routes to the same
 * step share one arrow.
 */
function targetsOf(routes: readonly Route[]): ReadonlyMap<string, readonly string[]> {
  const targets = new Map<string, string[]>();
  for (const route of routes) {
    if (route.run === undefined) continue;
    targets.set(route.run, [...(targets.get(route.run) ?? []), routeWords(route)]);
  }
  return targets;
}

/**
 * Returns the lines of a wrapped text: at most `lines` lines of at most `width` characters. The
 * last line ends with "…" if the text is longer. A word that is longer than `width` is cut and ends
 * with "…".
 */
export function wrapped(text: string, { width, lines }: { width: number; lines: number }) {
  const found: string[] = [];
  for (const word of text.split(" ")) {
    const last = found.at(-1);
    if (last !== undefined && last.length + word.length < width)
      found[found.length - 1] = `${last} ${word}`;
    else found.push(word);
  }
  const shown = found.slice(0, lines).map((line) => shortened(line, width));
  const rest = shown.at(-1);
  if (found.length > lines && rest !== undefined) shown[lines - 1] = shortened(`${rest} …`, width);
  return shown;
}

/** Truncates a string to `width` characters, including "…" at the end. */
export const shortened = (text: string, width: number): string =>
  text.length <= width ? text : `${text.slice(0, width - 1)}…`;
