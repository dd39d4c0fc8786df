import { useEffect, useRef, useState } from "preact/hooks";
import uPlot from "uplot";
import { axisLabels, formatDateTime } from "../format/times.ts";
import { drawPlot, resolvedColor } from "./plot.ts";
import type { Marks, Span, Step } from "./steps.ts";

interface StepChartProps {
  /** The quantity that the chart shows, such as `Price`. */
  readonly title: string;
  /** The values, oldest first. Each value is valid until the next one. */
  readonly steps: readonly Step[];
  readonly span: Span;
  /** Time spans that are shaded, such as those without stock. */
  readonly shaded: readonly Span[];
  readonly marks: Marks;
  readonly format: (value: number) => string;
  /** The text above the chart while the pointer is not on the chart. */
  readonly summary: string;
}

const height = 240;
/** Sizes in pixels of the ticks and triangles that mark times. */
const tickHeight = 6;
const markWidth = 9;

/**
 * Shows values over time, each valid until the next one. The chart is hidden from screen readers:
 * the page must show the same values as a table.
 */
export function StepChart(props: StepChartProps) {
  const { title, steps, shaded, marks, format, summary } = props;
  const box = useRef<HTMLDivElement>(null);
  const [pointed, setPointed] = useState<number>();
  useEffect(() => {
    const element = box.current;
    if (element === null) return undefined;
    return drawPlot(element, {
      height,
      options: () => optionsFor(element, props, setPointed),
      data: [steps.map(({ at }) => at), steps.map(({ value }) => value)],
    });
  }, [steps, shaded, marks]);
  const step = pointed === undefined ? undefined : steps[pointed];
  return (
    <figure class="chart" aria-label={title}>
      <p class="chart-note small number" aria-hidden="true">
        {step === undefined
          ? summary
          : `${formatDateTime(new Date(step.at * 1_000))}: ${step.value === null ? "none" : format(step.value)}`}
      </p>
      <div class="chart-plot" ref={box} aria-hidden="true" />
    </figure>
  );
}

/** Returns a copy of an axis that labels its values, in seconds since 1970, with dates or times. */
const timeAxis = (axis: uPlot.Axis): uPlot.Axis => ({
  ...axis,
  space: 72,
  size: 40,
  grid: { show: false },
  values: (_plot, at, ...[, , step]) => [...axisLabels(at, step)],
});

function optionsFor(
  element: HTMLElement,
  { span, shaded, marks, format }: StepChartProps,
  onPoint: (index: number | undefined) => void,
): uPlot.Options {
  const color = (token: string): string => resolvedColor(element, token);
  const axis: uPlot.Axis = {
    stroke: color("--muted"),
    font: "11px system-ui, sans-serif",
    ticks: { show: false },
    grid: { stroke: color("--border"), width: 1 },
  };
  const paths = uPlot.paths.stepped?.({ align: 1 });
  const shade = (plot: uPlot): void => {
    const { top, height: size } = plot.bbox;
    plot.ctx.fillStyle = color("--bad-soft");
    for (const { from, to } of shaded) {
      const [left, right] = [plot.valToPos(from, "x", true), plot.valToPos(to, "x", true)];
      plot.ctx.fillRect(left, top, right - left, size);
    }
  };
  const drawMarks = (plot: uPlot): void => {
    const { top, height: size } = plot.bbox;
    const placeOf = (times: readonly number[]): readonly number[] =>
      times
        .filter((at) => at >= span.from && at <= span.to)
        .map((at) => plot.valToPos(at, "x", true));
    const { devicePixelRatio: scale } = window;
    plot.ctx.fillStyle = color("--muted");
    for (const left of placeOf(marks.below)) {
      plot.ctx.fillRect(left, top + size - tickHeight * scale, scale, tickHeight * scale);
    }
    plot.ctx.fillStyle = color("--warn");
    for (const left of placeOf(marks.above)) {
      const [half, depth] = [markWidth * scale * 0.5, markWidth * scale];
      plot.ctx.beginPath();
      plot.ctx.moveTo(left - half, top);
      plot.ctx.lineTo(left + half, top);
      plot.ctx.lineTo(left, top + depth);
      plot.ctx.fill();
    }
  };
  return {
    width: element.clientWidth,
    height,
    padding: [8, 4, 0, 0],
    legend: { show: false },
    cursor: { y: false, drag: { x: false, y: false } },
    scales: { x: { time: true, range: [span.from, span.to] } },
    axes: [timeAxis(axis), { ...axis, size: 92, space: 36, values: (_plot, at) => at.map(format) }],
    series: [
      {},
      {
        stroke: color("--chart"),
        width: 2,
        points: { show: true, size: 5, fill: color("--chart") },
        ...(paths && { paths }),
      },
    ],
    hooks: {
      drawClear: [shade],
      draw: [drawMarks],
      setCursor: [({ cursor: { idx } }) => onPoint(idx ?? undefined)],
    },
  };
}
