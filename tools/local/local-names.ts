import { createHash } from "node:crypto";

/** The values of `Ref` and `Fn::GetAtt` for a resource in the local world. */
export interface LocalName {
  readonly ref: string;
  readonly attributes: Readonly<Record<string, string>>;
}

interface Named {
  readonly stack: string;
  readonly logicalId: string;
  readonly type: string;
  /** The properties of the resource whose names end in `Name`, with resolved values. */
  readonly properties: Readonly<Record<string, unknown>>;
  readonly queueUrlBase: string;
}

const place = "us-east-1:000000000000";

/**
 * Returns the local name and attributes of a CloudFormation resource. The name depends only on the
 * stack, the logical ID and the name in the template, so a restart finds the same tables. A
 * resource of an unknown type has no attributes.
 */
export function localNameOf(resource: Named): LocalName {
  const naming = namings[resource.type];
  return naming ? naming(resource) : { ref: physicalName(resource, 255), attributes: {} };
}

const namings: Readonly<Record<string, (resource: Named) => LocalName>> = {
  "AWS::DynamoDB::Table": tableName,
  "AWS::DynamoDB::GlobalTable": tableName,
  "AWS::SQS::Queue": queueName,
  "AWS::S3::Bucket": bucketName,
  "AWS::KMS::Key": keyName,
  "AWS::KMS::Alias": (resource) => ({
    ref: givenName(resource, "AliasName") ?? "",
    attributes: {},
  }),
  "AWS::Lambda::Function": (resource) =>
    nameResource(givenName(resource, "FunctionName") ?? physicalName(resource, 64), (name) => ({
      Arn: `arn:aws:lambda:${place}:function:${name}`,
    })),
  "AWS::Lambda::Alias": (resource) => ({
    ref: `arn:aws:lambda:${place}:function:${givenName(resource, "FunctionName") ?? ""}:${givenName(resource, "Name") ?? ""}`,
    attributes: {},
  }),
  "AWS::IAM::Role": (resource) =>
    nameResource(givenName(resource, "RoleName") ?? physicalName(resource, 64), (name) => ({
      Arn: `arn:aws:iam::000000000000:role/${name}`,
    })),
  "AWS::Events::EventBus": (resource) =>
    nameResource(givenName(resource, "Name") ?? physicalName(resource, 256), (name) => ({
      Arn: `arn:aws:events:${place}:event-bus/${name}`,
      Name: name,
    })),
  "AWS::Scheduler::ScheduleGroup": (resource) =>
    nameResource(givenName(resource, "Name") ?? physicalName(resource, 64), (name) => ({
      Arn: `arn:aws:scheduler:${place}:schedule-group/${name}`,
    })),
  "AWS::Scheduler::Schedule": (resource) =>
    nameResource(givenName(resource, "Name") ?? physicalName(resource, 64), (name) => ({
      Arn: `arn:aws:scheduler:${place}:schedule/${givenName(resource, "GroupName") ?? "default"}/${name}`,
    })),
  "AWS::Logs::LogGroup": (resource) =>
    nameResource(givenName(resource, "LogGroupName") ?? physicalName(resource, 512), (name) => ({
      Arn: `arn:aws:logs:${place}:log-group:${name}:*`,
    })),
  "AWS::SNS::Topic": (resource) => {
    const name = givenName(resource, "TopicName") ?? physicalName(resource, 256);
    return { ref: `arn:aws:sns:${place}:${name}`, attributes: { TopicName: name } };
  },
  "AWS::ApiGateway::RestApi": (resource) =>
    nameResource(shortId(resource), (id) => ({ RestApiId: id, RootResourceId: `${id}-root` })),
  "AWS::ApiGateway::Resource": (resource) =>
    nameResource(shortId(resource), (id) => ({ ResourceId: id })),
  "AWS::ApiGateway::Stage": (resource) => ({
    ref: givenName(resource, "StageName") ?? "local",
    attributes: {},
  }),
};

function tableName(resource: Named): LocalName {
  return nameResource(givenName(resource, "TableName") ?? physicalName(resource, 255), (name) => ({
    Arn: `arn:aws:dynamodb:${place}:table/${name}`,
  }));
}

function queueName(resource: Named): LocalName {
  const name = givenName(resource, "QueueName") ?? physicalName(resource, 75);
  const ref = `${resource.queueUrlBase}/${name}`;
  return {
    ref,
    attributes: { Arn: `arn:aws:sqs:${place}:${name}`, QueueName: name, QueueUrl: ref },
  };
}

function bucketName(resource: Named): LocalName {
  return nameResource(
    givenName(resource, "BucketName") ?? physicalName(resource, 63).toLowerCase(),
    (name) => ({ Arn: `arn:aws:s3:::${name}`, DomainName: `${name}.s3.amazonaws.com` }),
  );
}

function keyName(resource: Named): LocalName {
  const hex = digest(resource);
  const id = [0, 8, 12, 16, 20].map((from, i, all) => hex.slice(from, all[i + 1] ?? 32)).join("-");
  return nameResource(id, () => ({ Arn: `arn:aws:kms:${place}:key/${id}`, KeyId: id }));
}

function nameResource(
  ref: string,
  attributes: (name: string) => Record<string, string>,
): LocalName {
  return { ref, attributes: attributes(ref) };
}

function givenName(resource: Named, property: string): string | undefined {
  const value = resource.properties[property];
  return typeof value === "string" ? value : undefined;
}

/** Returns `<stack>-<logical ID>`. Shortens a name beyond `lengthMax` and adds a hash. */
function physicalName(resource: Named, lengthMax: number): string {
  const whole = `${resource.stack}-${resource.logicalId}`;
  if (whole.length <= lengthMax) return whole;
  return `${whole.slice(0, lengthMax - 9)}-${digest(resource).slice(0, 8)}`;
}

function shortId(resource: Named): string {
  return digest(resource).slice(0, 10);
}

function digest(resource: Named): string {
  return createHash("sha256").update(`${resource.stack}/${resource.logicalId}`).digest("hex");
}
