import { useEffect, useRef, useState } from "preact/hooks";
import uPlot from "uplot";
import { formatCompact } from "../format/numbers.ts";
import { drawPlot, resolvedColor } from "./plot.ts";

/** A bar, with the label below it. */
export interface Bar {
  readonly label: string;
  readonly value: number;
}

interface BarChartProps {
  /** The quantity that the bars show, such as `Credits per day`. */
  readonly title: string;
  readonly bars: readonly Bar[];
  /**
   * The unit of the horizontal axis, such as `Day`. Also the header of the table's first column.
   */
  readonly per: string;
  readonly format: (value: number) => string;
  /** The text above the chart while the pointer is not on a bar. */
  readonly summary: string;
}

const height = 200;
/**
 * The possible distances between labels of the vertical axis. All are integers, because credits and
 * similar values are integers.
 */
const wholeSteps = Array.from({ length: 10 }, (_, n) =>
  [1, 2, 5].map((step) => step * 10 ** n),
).flat();

/** Shows a bar chart, and the same values as a table for users of screen readers. */
export function BarChart(props: BarChartProps) {
  const { title, bars, per, format, summary } = props;
  const box = useRef<HTMLDivElement>(null);
  const [pointed, setPointed] = useState<number>();
  useEffect(() => {
    const element = box.current;
    if (element === null) return undefined;
    return drawPlot(element, {
      height,
      options: () => optionsFor(element, bars, setPointed),
      data: [bars.map((_, n) => n), bars.map(({ value }) => value)],
    });
  }, [bars]);
  const bar = pointed === undefined ? undefined : bars[pointed];
  return (
    <figure class="chart" aria-label={title}>
      <p class="chart-note small number" aria-hidden="true">
        {bar ? `${bar.label}: ${format(bar.value)}` : summary}
      </p>
      <div class="chart-plot" ref={box} aria-hidden="true" />
      <details class="chart-table">
        <summary>As a table</summary>
        <div class="scroll" tabIndex={0} role="region" aria-label={`${title}, as a table`}>
          <table class="plain-table">
            <caption class="visually-hidden">{title}</caption>
            <thead>
              <tr>
                <th scope="col">{per}</th>
                <th scope="col" class="align-end">
                  {title}
                </th>
              </tr>
            </thead>
            <tbody>
              {bars.map(({ label, value }) => (
                <tr key={label}>
                  <th scope="row">{label}</th>
                  <td class="align-end number">{format(value)}</td>
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      </details>
    </figure>
  );
}

function optionsFor(
  element: HTMLElement,
  bars: readonly Bar[],
  onPoint: (index: number | undefined) => void,
): uPlot.Options {
  const color = (token: string): string => resolvedColor(element, token);
  const axis: uPlot.Axis = {
    stroke: color("--muted"),
    font: "11px system-ui, sans-serif",
    ticks: { show: false },
  };
  const most = Math.max(1, ...bars.map(({ value }) => value));
  const paths = uPlot.paths.bars?.({ size: [0.72, 28], radius: 0.18 });
  return {
    width: element.clientWidth,
    height,
    padding: [8, 4, 0, 0],
    legend: { show: false },
    cursor: { y: false, drag: { x: false, y: false }, points: { show: false } },
    scales: {
      x: { time: false, range: [-0.6, bars.length - 0.4] },
      y: { range: [0, most * 1.08] },
    },
    axes: [
      {
        ...axis,
        space: 64,
        size: 30,
        grid: { show: false },
        incrs: [1, 2, 5, 7, 10, 14, 30],
        values: (_plot, at) => at.map((n) => bars[n]?.label ?? ""),
      },
      {
        ...axis,
        size: 44,
        grid: { stroke: color("--border"), width: 1 },
        space: 36,
        incrs: wholeSteps,
        values: (_plot, at) => at.map(formatCompact),
      },
    ],
    series: [
      {},
      { fill: color("--chart"), width: 0, points: { show: false }, ...(paths && { paths }) },
    ],
    hooks: { setCursor: [({ cursor: { idx } }) => onPoint(idx ?? undefined)] },
  };
}
