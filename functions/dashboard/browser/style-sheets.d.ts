/** Allows imports of style sheets. The bundler combines all imported style sheets into one file. */
declare module "*.css";
