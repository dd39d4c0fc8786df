import { type ProductScraperId, scrapers } from "../../shared/scrapers/catalog.ts";

/** The IDs of all scrapers that read products. */
export const scraperIds = Object.keys(scrapers) as readonly ProductScraperId[];
