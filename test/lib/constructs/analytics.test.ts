import { describe, expect, it } from "vitest";
import { exportTables, savedQueries } from "../../../shared/exports/tables.ts";
import { resourcesOf, synthesize } from "../synthesize.ts";

const { data } = synthesize("dev", {
  analytics: "on",
  analyticsExports: "s3://exports-of-the-shop/shop/",
});
const types = ["AWS::Glue::Database", "AWS::Glue::Table", "AWS::Athena::WorkGroup"] as const;

describe("the analytics of a deployment", () => {
  it("are absent by default", () => {
    const without = synthesize("dev").data;
    for (const type of [...types, "AWS::Athena::NamedQuery"])
      expect(resourcesOf(without, type)).toEqual({});
  });

  it("have a database with the name of the stage", () => {
    expect(resourcesOf(data, "AWS::Glue::Database")).toMatchObject({
      AnalyticsDatabase: { Properties: { DatabaseInput: { Name: "retail_product_data_dev" } } },
    });
  });

  it("have a table with partition projection for each kind of export", () => {
    const tables = Object.values(resourcesOf(data, "AWS::Glue::Table")).map(
      ({ Properties }) => Properties,
    );
    expect(tables).toMatchObject(
      exportTables.map(({ name, folder, columns }) => ({
        DatabaseName: { Ref: "AnalyticsDatabase" },
        TableInput: {
          Name: name,
          TableType: "EXTERNAL_TABLE",
          PartitionKeys: [
            { Name: "dt", Type: "date" },
            { Name: "watchlist_id", Type: "string" },
          ],
          Parameters: {
            "projection.enabled": "true",
            "storage.location.template": `s3://exports-of-the-shop/shop/${folder}dt=\${dt}/watchlist_id=\${watchlist_id}/`,
          },
          StorageDescriptor: {
            Location: `s3://exports-of-the-shop/shop/${folder}`,
            Columns: columns.map((column) => ({ Name: column.name, Type: column.type })),
          },
        },
      })),
    );
  });

  it("have a workgroup that limits each query and stores results in a separate encrypted bucket", () => {
    expect(resourcesOf(data, "AWS::Athena::WorkGroup")).toMatchObject({
      AnalyticsWorkGroup: {
        Properties: {
          Name: "retail-product-data-dev",
          WorkGroupConfiguration: {
            EnforceWorkGroupConfiguration: true,
            BytesScannedCutoffPerQuery: 107_374_182_400,
            ResultConfiguration: {
              OutputLocation: { "Fn::Join": ["", ["s3://", { Ref: "AnalyticsResults" }, "/"]] },
              EncryptionConfiguration: { EncryptionOption: "SSE_S3" },
            },
          },
        },
      },
    });
    expect(resourcesOf(data, "AWS::S3::Bucket")["AnalyticsResults"]?.Properties).toMatchObject({
      PublicAccessBlockConfiguration: { BlockPublicAcls: true, RestrictPublicBuckets: true },
      LifecycleConfiguration: { Rules: [{ ExpirationInDays: 30, Status: "Enabled" }] },
    });
  });

  it("have the project's saved queries in the database and the workgroup of the stage", () => {
    const queries = Object.values(resourcesOf(data, "AWS::Athena::NamedQuery"));
    expect(queries.map(({ Properties }) => Properties)).toMatchObject(
      savedQueries.map(({ name, sql }) => ({
        Name: name,
        Database: { Ref: "AnalyticsDatabase" },
        QueryString: sql,
        WorkGroup: { Ref: "AnalyticsWorkGroup" },
      })),
    );
  });

  it.each([
    [{ analytics: "on" }, "Context key 'analytics' requires 'analyticsExports'."],
    [{ analyticsExports: "s3://exports/" }, "requires 'analytics' to be on"],
    [{ analytics: "on", analyticsExports: "s3://exports/shop" }, "'analyticsExports' must be"],
    [{ analytics: "on", analyticsExports: "exports" }, "'analyticsExports' must be"],
  ])("refuse the context %o with an error message", (context, message) => {
    expect(() => synthesize("dev", context)).toThrow(message);
  });
});
