import type { Pipeline } from "../../api/resources.ts";
import {
  type Edge,
  layOut,
  type NodeBox,
  nodeSize,
  shortened,
  wrapped,
} from "./pipeline-layout.ts";
import { pipelineSentences } from "./pipeline-words.ts";
import "./pipeline-graph.css";

interface PipelineGraphProps {
  readonly pipeline: Pipeline;
  /** The name of the graph for screen readers. */
  readonly label?: string;
}

/**
 * Shows the steps of a pipeline as boxes and its routes as arrows, and describes both in sentences.
 */
export function PipelineGraph({ pipeline, label = "Pipeline" }: PipelineGraphProps) {
  const { nodes, edges, width, height } = layOut(pipeline);
  const sentences = pipelineSentences(pipeline);
  return (
    <figure class="graph">
      <div class="graph-scroll" tabIndex={0} role="region" aria-label={`${label}, drawn`}>
        <svg
          width={width}
          height={height}
          viewBox={`0 0 ${width} ${height}`}
          role="img"
          aria-label={`${label}. ${sentences.join(" ")}`}
        >
          {edges.map((edge) => (
            <Arrow key={`${edge.from.id} ${edge.to.id}`} edge={edge} />
          ))}
          {nodes.map((node) => (
            <StepBox key={node.id} node={node} />
          ))}
          {edges.map((edge) => (
            <ArrowWords key={`${edge.from.id} ${edge.to.id}`} edge={edge} />
          ))}
        </svg>
      </div>
      <details class="graph-words" open>
        <summary>In plain English</summary>
        <ul>
          {sentences.map((sentence) => (
            <li key={sentence}>{sentence}</li>
          ))}
        </ul>
      </details>
    </figure>
  );
}

const nameLength = 22;
const wordsLength = 28;

function StepBox({ node }: { readonly node: NodeBox }) {
  const { x, y, id, scraper, starts, reports } = node;
  const scraperName = scraper.split(".").at(-1) ?? scraper;
  return (
    <g class="graph-step" transform={`translate(${x} ${y})`}>
      <rect class="graph-box" width={nodeSize.width} height={nodeSize.height} rx="8" />
      <text class="graph-name" x="14" y="29">
        {shortened(id, nameLength)}
      </text>
      <text class="graph-detail" x="14" y="48">
        {shortened(`reads ${scraperName.replaceAll("_", " ")}`, wordsLength)}
      </text>
      <text class={reports.length > 0 ? "graph-report" : "graph-detail"} x="14" y="68">
        {reports.length > 0
          ? shortened(`reports ${reports.join(", ")}`, wordsLength)
          : "reports nothing"}
      </text>
      <Starts starts={starts} />
    </g>
  );
}

const pill = { letter: 6.2, padding: 18, gap: 4, height: 20 } as const;

/** Shows the labels of the runs that start at a step, on the upper edge of its box. */
function Starts({ starts }: { readonly starts: readonly string[] }) {
  let x = 10;
  return (
    <>
      {starts.map((words) => {
        const at = x;
        const width = words.length * pill.letter + pill.padding;
        x += width + pill.gap;
        return (
          <g key={words} transform={`translate(${at} ${-pill.height / 2})`}>
            <rect class="graph-pill" width={width} height={pill.height} rx={pill.height / 2} />
            <text class="graph-pill-words" x={width / 2} y="14" text-anchor="middle">
              {words}
            </text>
          </g>
        );
      })}
    </>
  );
}

/** Returns the start and end point of an arrow. */
function endsOf({ from, to }: Edge) {
  const start = { x: from.x + nodeSize.width, y: from.y + nodeSize.height / 2 };
  return { start, end: { x: to.x, y: to.y + nodeSize.height / 2 } };
}

function Arrow({ edge }: { readonly edge: Edge }) {
  const { start, end } = endsOf(edge);
  const bend = (end.x - start.x) / 2;
  const tip = end.x - 2;
  return (
    <g class="graph-arrow">
      <path
        d={`M${start.x} ${start.y}C${start.x + bend} ${start.y} ${tip - bend} ${end.y} ${tip - 6} ${end.y}`}
      />
      <path
        class="graph-tip"
        d={`M${tip - 8} ${end.y - 4.5}L${tip} ${end.y}L${tip - 8} ${end.y + 4.5}z`}
      />
    </g>
  );
}

const lineHeight = 14;

function ArrowWords({ edge }: { readonly edge: Edge }) {
  const { start, end } = endsOf(edge);
  const lines = edge.words.flatMap((words) => wrapped(words, { width: 18, lines: 2 })).slice(0, 4);
  // The text is next to the box from which the arrow starts, so that no other box hides the text of
  // a long arrow.
  const x = start.x + Math.min(end.x - start.x, 136) / 2 - 3;
  const share = (x - start.x) / (end.x - start.x);
  // The last line of the text is 11 pixels above the arrow.
  const y = start.y + (end.y - start.y) * share - (lines.length - 1) * lineHeight - 11;
  return (
    <text class="graph-route" text-anchor="middle">
      {lines.map((line, n) => (
        <tspan key={n} x={x} y={y + n * lineHeight + 4}>
          {line}
        </tspan>
      ))}
    </text>
  );
}
