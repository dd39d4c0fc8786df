import { localRateBudget } from "../../../../shared/sources/http/rate-budget.ts";
import { rateBudgetContract } from "../../../contracts/rate-budget.contract.ts";

const budget = localRateBudget();
rateBudgetContract("of one process", () => ({ process: () => budget }));
