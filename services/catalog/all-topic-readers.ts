/**
 * Readers of every topic, by rule instead of by reaction. Each leaves out its own events: reading them would raise new
 * ones, without end.
 */
export const allTopicReaders = [
  { reader: 'audit-service', except: 'audit', why: 'records everything that happened (BROKER-16, X-073)' },
  {
    reader: 'sync-service',
    except: 'sync',
    why: 'projects events into the log of each device (BROKER-13, X-074)',
  },
] as const;

/** Streams every message into the warehouse; it is no service of ours (RET-05, X-072). */
export const sink = 'dataflow-bigquery';
