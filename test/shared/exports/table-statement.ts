import {
  type ExportTable,
  formats,
  partitionColumns,
  type TableColumn,
  tableProperties,
} from "../../../shared/exports/tables.ts";

const quotedColumn = ({ name, type }: TableColumn): string => `\`${name}\` ${type}`;

/**
 * Returns the SQL statement that creates a table in Athena, with all names quoted.
 * @param place address of the exports, such as `s3://my-bucket/shop/`
 */
export function tableStatement(table: ExportTable, place: string): string {
  const { format } = table;
  const stored =
    format === "json" ? `ROW FORMAT SERDE '${formats.json.serde}'` : "STORED AS PARQUET";
  const properties = Object.entries(tableProperties(table, place));
  return [
    `CREATE EXTERNAL TABLE \`${table.name}\` (`,
    table.columns.map((one) => `  ${quotedColumn(one)}`).join(",\n"),
    `) PARTITIONED BY (${partitionColumns.map(quotedColumn).join(", ")})`,
    stored,
    `LOCATION '${place}${table.folder}'`,
    "TBLPROPERTIES (",
    properties.map(([name, value]) => `  '${name}' = '${value}'`).join(",\n"),
    ");",
  ].join("\n");
}
