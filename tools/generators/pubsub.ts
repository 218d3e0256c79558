import { allTopicReaders, sink } from '@melmastoon/catalog/all-topic-readers';
import { everyService } from './every-service.ts';
import type { FileSet } from './generator.ts';
import { jsonText } from './json-text.ts';
import { iamMatrix } from './pubsub/iam.ts';
import { PROJECT } from './pubsub/subscriptions.ts';
import { type Topic, topicsOf } from './pubsub/topology.ts';

/** Every topic of the platform with its readers. */
export async function everyTopic(): Promise<Topic[]> {
  return topicsOf(await everyService(), { services: allTopicReaders, sink });
}

/** PATH-05, REG-05: what must exist on Google Pub/Sub, and who may use it. */
export const pubsubFiles: FileSet = {
  name: 'infrastructure/pubsub',
  owns: path => /^infrastructure\/pubsub\/[^/]+\.json$/.test(path),
  async makeAll() {
    const topics = await everyTopic();
    return new Map([
      ['infrastructure/pubsub/topics.json', jsonText({ project: PROJECT, topics })],
      ['infrastructure/pubsub/iam.json', jsonText(iamMatrix(topics))],
    ]);
  },
};
