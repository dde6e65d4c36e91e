import { noInput, operation } from "~/nouns/operation.server";
import {
  getInsightsInput,
  insightsSchema,
  modelPriceListSchema,
  setModelPriceAnswerSchema,
  setModelPriceInput,
} from "./contract";

/** Burn-down, tokens and cost (specification: Sprint; Agent job; Model price). */
export const getInsights = operation("get_insights", getInsightsInput, insightsSchema);

/** Prices of all models (specification: Model price). */
export const listModelPrices = operation("list_model_prices", noInput, modelPriceListSchema);

/** Sets the price of a model, or removes it; administrators only (specification: Model price). */
export const setModelPrice = operation(
  "set_model_price",
  setModelPriceInput,
  setModelPriceAnswerSchema,
);
