import { cpSync } from "node:fs";
import { join } from "node:path";
import { AssetHashType, DockerImage } from "aws-cdk-lib";
import { Code } from "aws-cdk-lib/aws-lambda";
import { buildSync, type Metafile } from "esbuild";

const projectRoot = join(import.meta.dirname, "..", "..");

/** The name of the file with the handler in the folder of a bundle. */
export const bundleEntry = "index.mjs";

/**
 * Bundles the module at the path `entry` into the folder `outdir`: `index.mjs` and the files that
 * it imports. Dynamically imported modules get separate files, which load at the first use.
 * @returns esbuild's metafile, with paths relative to the root of the project
 */
export function writeBundle(entry: string, outdir: string): Metafile {
  return buildSync({
    entryPoints: { index: entry },
    outdir,
    absWorkingDir: projectRoot,
    outExtension: { ".js": ".mjs" },
    chunkNames: "[hash]",
    bundle: true,
    splitting: true,
    minify: true,
    platform: "node",
    target: "node24",
    format: "esm",
    mainFields: ["module", "main"],
    alias: {
      "@aws-sdk/credential-provider-node": join(
        projectRoot,
        "shared/aws/sdk/environment-credentials.ts",
      ),
      "node:http": join(projectRoot, "shared/aws/sdk/node-http.ts"),
    },
    // CommonJS packages call `require()`, which ES modules do not define.
    banner: {
      js:
        'import{createRequire as bundleRequire}from"node:module";' +
        "const require=bundleRequire(import.meta.url);",
    },
    metafile: true,
    logLevel: "warning",
  }).metafile;
}

/**
 * Returns the code of a function: the bundle of its entry file handler.ts.
 * @param folder the folder of the function
 * @param readsGeneratedFiles true if the function reads files of its folder `generated`, which is
 * then copied beside the bundle
 */
export const bundledCode = (folder: string, readsGeneratedFiles: boolean): Code =>
  Code.fromAsset(folder, {
    assetHashType: AssetHashType.OUTPUT,
    bundling: {
      // Required by the type, but never used, because the bundle is always made on this machine.
      image: DockerImage.fromRegistry("none"),
      local: {
        tryBundle(outdir) {
          writeBundle(join(folder, "handler.ts"), outdir);
          if (readsGeneratedFiles) {
            cpSync(join(folder, "generated"), join(outdir, "generated"), { recursive: true });
          }
          return true;
        },
      },
    },
  });
