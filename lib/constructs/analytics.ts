import { Aws, Duration, RemovalPolicy } from "aws-cdk-lib";
import { CfnNamedQuery, CfnWorkGroup } from "aws-cdk-lib/aws-athena";
import { CfnDatabase, CfnTable } from "aws-cdk-lib/aws-glue";
import { BlockPublicAccess, Bucket, BucketEncryption } from "aws-cdk-lib/aws-s3";
import { Construct } from "constructs";
import {
  type ExportTable,
  exportTables,
  formats,
  partitionColumns,
  savedQueries,
  tableProperties,
} from "../../shared/exports/tables.ts";
import { acknowledge } from "../acknowledgements.ts";
import type { Stage } from "../config.ts";
import { pinLogicalId } from "../pin-logical-id.ts";

export interface AnalyticsProps {
  readonly stage: Stage;
  /** Address of the exports, such as `s3://my-bucket/shop/`. */
  readonly exports: string;
}

/** Maximum number of bytes that a query may read. Athena charges for each byte. */
const bytesScannedMax = 100 * 1024 ** 3;
/** Days after which the results of queries are deleted. */
const resultDays = 30;

/**
 * Glue tables for the exports of an S3 destination, and an Athena workgroup with saved queries. The
 * tables contain no data. Athena derives their partitions from each query, so no crawler is needed.
 */
export class Analytics extends Construct {
  constructor(scope: Construct, id: string, { stage, exports: place }: AnalyticsProps) {
    super(scope, id);
    const database = new CfnDatabase(this, "Database", {
      catalogId: Aws.ACCOUNT_ID,
      databaseInput: {
        name: `retail_product_data_${stage}`,
        description: `Exports of stage ${stage}.`,
      },
    });
    database.overrideLogicalId("AnalyticsDatabase");
    for (const table of exportTables) this.table(table, { place, database });

    const results = this.resultsBucket();
    const workGroup = new CfnWorkGroup(this, "WorkGroup", {
      name: `retail-product-data-${stage}`,
      description: `Queries of the exports of stage ${stage}.`,
      recursiveDeleteOption: true,
      workGroupConfiguration: {
        enforceWorkGroupConfiguration: true,
        publishCloudWatchMetricsEnabled: true,
        bytesScannedCutoffPerQuery: bytesScannedMax,
        engineVersion: { selectedEngineVersion: "Athena engine version 3" },
        resultConfiguration: {
          outputLocation: `s3://${results.bucketName}/`,
          encryptionConfiguration: { encryptionOption: "SSE_S3" },
          expectedBucketOwner: Aws.ACCOUNT_ID,
        },
      },
    });
    workGroup.overrideLogicalId("AnalyticsWorkGroup");
    for (const { name, description, sql } of savedQueries) {
      new CfnNamedQuery(this, `Query-${name}`, {
        name,
        description,
        database: database.ref,
        queryString: sql,
        workGroup: workGroup.ref,
      });
    }
  }

  private table(
    table: ExportTable,
    { place, database }: { readonly place: string; readonly database: CfnDatabase },
  ): void {
    const { serde, input, output } = formats[table.format];
    new CfnTable(this, `Table-${table.name}`, {
      catalogId: Aws.ACCOUNT_ID,
      databaseName: database.ref,
      tableInput: {
        name: table.name,
        description: table.description,
        tableType: "EXTERNAL_TABLE",
        parameters: { EXTERNAL: "TRUE", ...tableProperties(table, place) },
        partitionKeys: [...partitionColumns],
        storageDescriptor: {
          columns: [...table.columns],
          location: `${place}${table.folder}`,
          inputFormat: input,
          outputFormat: output,
          serdeInfo: { serializationLibrary: serde },
        },
      },
    });
  }

  private resultsBucket(): Bucket {
    const bucket = new Bucket(this, "Results", {
      blockPublicAccess: BlockPublicAccess.BLOCK_ALL,
      encryption: BucketEncryption.S3_MANAGED,
      enforceSSL: true,
      minimumTLSVersion: 1.2,
      versioned: false,
      lifecycleRules: [
        {
          id: "expire-query-results",
          expiration: Duration.days(resultDays),
          abortIncompleteMultipartUploadAfter: Duration.days(1),
        },
      ],
      // Athena can repeat each query, so the results may be deleted with the stack.
      removalPolicy: RemovalPolicy.DESTROY,
    });
    pinLogicalId(bucket, "AnalyticsResults");
    acknowledge(bucket, "AwsSolutions-S1");
    return bucket;
  }
}
