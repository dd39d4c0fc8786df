import * as v from "valibot";
import { pipelineBody } from "../../shared/pipelines/pipeline-schema.ts";

/** A pipeline is looked at together with the rest of its body; what it may hold is documented here. */
export const withPipeline = <Entries extends v.ObjectEntries>(
  { entries }: v.ObjectSchema<Entries, undefined>,
  absent: string,
): v.GenericSchema =>
  v.object({
    ...entries,
    pipeline: v.nullish(v.pipe(pipelineBody, v.description(`Steps and routes; ${absent}`))),
  });
