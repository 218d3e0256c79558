/**
 * Readers of every topic, by rule instead of by list. Each leaves out its own events: reading them would raise new ones,
 * without end. Those that are planned read nothing yet, so they have no subscription that would fill up.
 */
export const allTopicReaders: readonly AllTopicReader[] = [
  { reader: 'audit-service', except: 'audit', why: 'records everything that happened (BROKER-16, X-073)' },
  {
    reader: 'sync-service',
    except: 'sync',
    why: 'projects events into the log of each device (BROKER-13, X-074)',
    planned: true,
  },
];

/** One of them; `except` is its own token in subjects. */
export type AllTopicReader = {
  readonly reader: string;
  readonly except: string;
  readonly why: string;
  readonly planned?: true;
};

/** Streams every message into the warehouse; it is no service of ours, and planned (RET-05, X-072). */
export const sink = 'dataflow-bigquery';
