import { misbehavingSourceContract } from "../../contracts/misbehaving-source.contract.ts";
import { misbehavingSubjects } from "./misbehaving-subjects.ts";

for (const subject of misbehavingSubjects) misbehavingSourceContract(subject);
