import { ownRateBudget } from "../../../../shared/sources/http/rate-budget.ts";
import { rateBudgetContract } from "../../../contracts/rate-budget.contract.ts";

const budget = ownRateBudget();
rateBudgetContract("of one process", () => ({ process: () => budget }));
