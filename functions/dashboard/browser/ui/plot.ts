import uPlot from "uplot";
import "uplot/dist/uPlot.min.css";
import { themeChanged } from "./theme.ts";

interface Plot {
  /** Height in pixels. The chart is as wide as its element. */
  readonly height: number;
  /** Called for each drawing, because colors depend on the theme. */
  readonly options: () => uPlot.Options;
  readonly data: uPlot.AlignedData;
}

/**
 * Draws a chart into an element, and redraws it when the size or the colors change. Returns a
 * function that removes the chart.
 */
export function drawPlot(element: HTMLElement, { height, options, data }: Plot): () => void {
  let plot: uPlot | undefined;
  const again = (): void => {
    plot?.destroy();
    plot = new uPlot(options(), data, element);
  };
  const resized = new ResizeObserver(() => plot?.setSize({ width: element.clientWidth, height }));
  const scheme = matchMedia("(prefers-color-scheme: dark)");
  again();
  resized.observe(element);
  scheme.addEventListener("change", again);
  addEventListener(themeChanged, again);
  return () => {
    resized.disconnect();
    scheme.removeEventListener("change", again);
    removeEventListener(themeChanged, again);
    plot?.destroy();
  };
}

/** Returns the current color of a CSS custom property, which a canvas cannot resolve. */
export function resolvedColor(element: HTMLElement, token: string): string {
  const before = element.style.color;
  element.style.color = `var(${token})`;
  const resolved = getComputedStyle(element).color;
  element.style.color = before;
  return resolved;
}
