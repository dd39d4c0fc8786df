import { CfnOutput } from "aws-cdk-lib";
import { EndpointType, SecurityPolicy } from "aws-cdk-lib/aws-apigateway";
import type { RestApi } from "aws-cdk-lib/aws-apigateway";
import { Certificate } from "aws-cdk-lib/aws-certificatemanager";
import { ARecord, HostedZone, RecordTarget } from "aws-cdk-lib/aws-route53";
import { ApiGatewayDomain } from "aws-cdk-lib/aws-route53-targets";
import { Construct } from "constructs";
import type { Domain } from "../context.ts";
import { pinLogicalId } from "../pin-logical-id.ts";

export interface CustomDomainProps {
  readonly api: RestApi;
  readonly domain: Domain;
}

/**
 * The API at the root of a host name of its own. Not below a base path: the gateway leaves that on
 * the path that functions see, and they route by it. The gateway's own address goes on working.
 */
export class CustomDomain extends Construct {
  constructor(scope: Construct, id: string, { api, domain }: CustomDomainProps) {
    super(scope, id);
    const certificate = Certificate.fromCertificateArn(this, "Certificate", domain.certificateArn);
    const domainName = api.addDomainName("DomainName", {
      domainName: domain.name,
      certificate,
      endpointType: EndpointType.REGIONAL,
      securityPolicy: SecurityPolicy.TLS_1_2,
    });
    // Somebody's record points at what the gateway gave this one.
    pinLogicalId(domainName, "ApiDomain");
    new CfnOutput(this, "Url", {
      value: `https://${domain.name}/`,
      description: "Paths of the API follow, beginning with v1/.",
    }).overrideLogicalId("DomainUrl");
    if (domain.hostedZoneId === undefined) {
      new CfnOutput(this, "Target", {
        value: domainName.domainNameAliasDomainName,
        description: `The name that a CNAME record of ${domain.name} has to point at.`,
      }).overrideLogicalId("DomainTarget");
      return;
    }
    new ARecord(this, "Alias", {
      // Named like the domain, so that the record stands at the zone's name without knowing it.
      zone: HostedZone.fromHostedZoneAttributes(this, "Zone", {
        hostedZoneId: domain.hostedZoneId,
        zoneName: domain.name,
      }),
      target: RecordTarget.fromAlias(new ApiGatewayDomain(domainName)),
    });
  }
}
