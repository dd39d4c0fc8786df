import type { Stack } from "../../../tools/local/template.ts";

const proxyUri = (logicalId: string) => ({
  "Fn::Join": [
    "",
    [
      "arn:",
      { Ref: "AWS::Partition" },
      ":apigateway:",
      { Ref: "AWS::Region" },
      ":lambda:path/2015-03-31/functions/",
      { "Fn::GetAtt": [logicalId, "Arn"] },
      "/invocations",
    ],
  ],
});

const method = (resource: unknown, logicalId: string, more: object = {}) => ({
  Type: "AWS::ApiGateway::Method",
  Properties: {
    HttpMethod: "ANY",
    ResourceId: resource,
    RestApiId: { Ref: "Api" },
    Integration: {
      Type: "AWS_PROXY",
      IntegrationHttpMethod: "POST",
      Uri: proxyUri(logicalId),
      ...more,
    },
  },
});

const resource = (parent: unknown, part: string) => ({
  Type: "AWS::ApiGateway::Resource",
  Properties: { ParentId: parent, PathPart: part, RestApiId: { Ref: "Api" } },
});

const lambda = (name: string, variables: object = {}, timeout = 5) => ({
  Type: "AWS::Lambda::Function",
  Properties: {
    Timeout: timeout,
    Environment: { Variables: { POWERTOOLS_SERVICE_NAME: name, ...variables } },
  },
});

const dataStack: Stack = {
  name: "Fixture-data",
  template: {
    Parameters: {},
    Resources: {
      Rows: {
        Type: "AWS::DynamoDB::Table",
        Properties: {
          KeySchema: [
            { AttributeName: "pk", KeyType: "HASH" },
            { AttributeName: "sk", KeyType: "RANGE" },
          ],
          AttributeDefinitions: [
            { AttributeName: "pk", AttributeType: "S" },
            { AttributeName: "sk", AttributeType: "S" },
            { AttributeName: "due_at", AttributeType: "S" },
          ],
          BillingMode: "PAY_PER_REQUEST",
          DeletionProtectionEnabled: true,
          GlobalSecondaryIndexes: [
            {
              IndexName: "due",
              KeySchema: [{ AttributeName: "due_at", KeyType: "HASH" }],
              Projection: { ProjectionType: "KEYS_ONLY" },
            },
          ],
          TimeToLiveSpecification: { AttributeName: "ttl", Enabled: true },
        },
      },
      Events: { Type: "AWS::S3::Bucket", Properties: {} },
      Secrets: { Type: "AWS::KMS::Key", Properties: {} },
    },
    Outputs: {
      RowsName: { Value: { Ref: "Rows" } },
    },
  },
};

const serviceStack: Stack = {
  name: "Fixture-service",
  template: {
    Parameters: { Greeting: { Default: "hello" } },
    Outputs: {},
    Resources: {
      JobsDead: { Type: "AWS::SQS::Queue", Properties: { MessageRetentionPeriod: 1_209_600 } },
      Jobs: {
        Type: "AWS::SQS::Queue",
        Properties: {
          VisibilityTimeout: 600,
          RedrivePolicy: {
            deadLetterTargetArn: { "Fn::GetAtt": ["JobsDead", "Arn"] },
            maxReceiveCount: 2,
          },
        },
      },
      QuickDead: { Type: "AWS::SQS::Queue", Properties: {} },
      Quick: {
        Type: "AWS::SQS::Queue",
        Properties: {
          VisibilityTimeout: 1,
          RedrivePolicy: {
            deadLetterTargetArn: { "Fn::GetAtt": ["QuickDead", "Arn"] },
            maxReceiveCount: 2,
          },
        },
      },
      EchoFunction: lambda("echo", {
        ROWS_TABLE: { "Fn::GetStackOutput": { StackName: "Fixture-data", OutputName: "RowsName" } },
        JOBS_URL: { Ref: "Jobs" },
        JOBS_ARN: { "Fn::GetAtt": ["Jobs", "Arn"] },
        GREETING: { Ref: "Greeting" },
      }),
      StreamFunction: lambda("stream", { RESPONSE_MODE: "stream" }),
      SlowFunction: lambda("slow", {}, 30),
      WorkerFunction: lambda("worker", {}, 600),
      WorkerLive: {
        Type: "AWS::Lambda::Alias",
        Properties: {
          FunctionName: { Ref: "WorkerFunction" },
          FunctionVersion: { "Fn::GetAtt": ["WorkerVersion", "Version"] },
          Name: "live",
        },
      },
      QuickFunction: lambda("quick", {}, 1),
      SweeperFunction: lambda("sweeper"),
      Provider: { Type: "AWS::Lambda::Function", Properties: { Timeout: 900 } },
      JobsMapping: {
        Type: "AWS::Lambda::EventSourceMapping",
        Properties: {
          BatchSize: 1,
          EventSourceArn: { "Fn::GetAtt": ["Jobs", "Arn"] },
          FunctionName: { Ref: "WorkerLive" },
          FunctionResponseTypes: ["ReportBatchItemFailures"],
          ScalingConfig: { MaximumConcurrency: 2 },
        },
      },
      QuickMapping: {
        Type: "AWS::Lambda::EventSourceMapping",
        Properties: {
          BatchSize: 10,
          EventSourceArn: { "Fn::GetAtt": ["Quick", "Arn"] },
          FunctionName: { Ref: "QuickFunction" },
          FunctionResponseTypes: ["ReportBatchItemFailures"],
        },
      },
      Group: { Type: "AWS::Scheduler::ScheduleGroup", Properties: { Name: "fixture-lists" } },
      SchedulerRole: {
        Type: "AWS::IAM::Role",
        Properties: {
          AssumeRolePolicyDocument: {
            Statement: [
              {
                Action: "sts:AssumeRole",
                Effect: "Allow",
                Principal: { Service: "scheduler.amazonaws.com" },
              },
            ],
          },
        },
      },
      LambdaRole: {
        Type: "AWS::IAM::Role",
        Properties: {
          AssumeRolePolicyDocument: {
            Statement: [{ Effect: "Allow", Principal: { Service: "lambda.amazonaws.com" } }],
          },
        },
      },
      EveryMinute: {
        Type: "AWS::Scheduler::Schedule",
        Properties: {
          ScheduleExpression: "rate(1 minute)",
          FlexibleTimeWindow: { Mode: "OFF" },
          Target: {
            Arn: { "Fn::GetAtt": ["SweeperFunction", "Arn"] },
            RoleArn: { "Fn::GetAtt": ["SchedulerRole", "Arn"] },
          },
        },
      },
      Api: {
        Type: "AWS::ApiGateway::RestApi",
        Properties: { BinaryMediaTypes: ["application/octet-stream"] },
      },
      Stage: { Type: "AWS::ApiGateway::Stage", Properties: { StageName: "fixture" } },
      V1: resource({ "Fn::GetAtt": ["Api", "RootResourceId"] }, "v1"),
      Things: resource({ Ref: "V1" }, "things"),
      AnyThing: resource({ Ref: "Things" }, "{proxy+}"),
      One: resource({ Ref: "V1" }, "ones"),
      OneId: resource({ Ref: "One" }, "{id}"),
      Streams: resource({ Ref: "V1" }, "streams"),
      Slows: resource({ Ref: "V1" }, "slows"),
      ThingsAny: method({ Ref: "Things" }, "EchoFunction"),
      AnyThingAny: method({ Ref: "AnyThing" }, "EchoFunction"),
      OneIdAny: method({ Ref: "OneId" }, "EchoFunction"),
      StreamsAny: method({ Ref: "Streams" }, "StreamFunction", { ResponseTransferMode: "STREAM" }),
      SlowsAny: method({ Ref: "Slows" }, "SlowFunction", { TimeoutInMillis: 100 }),
      MissingToken: {
        Type: "AWS::ApiGateway::GatewayResponse",
        Properties: {
          ResponseType: "MISSING_AUTHENTICATION_TOKEN",
          StatusCode: "404",
          ResponseParameters: {
            "gatewayresponse.header.X-Request-Id": "context.requestId",
            "gatewayresponse.header.Retry-After": "'7'",
          },
          ResponseTemplates: {
            "application/json": '{"error":{"message":$context.error.messageString}}',
          },
        },
      },
    },
  },
};

/** Two small stacks with a resource of each type that the local service can create. */
export const fixtureStacks: readonly Stack[] = [dataStack, serviceStack];
