/** Style sheets are imported for what they do; the bundle gathers them into one file. */
declare module "*.css";
