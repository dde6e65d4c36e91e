-- Why: monitoring needs a counter that only grows, but jobs get deleted. A sequence counts without a lock, so that
-- taking jobs back never waits; one that is rolled back still counts.
create sequence private.lost_lease_seq;

comment on sequence private.lost_lease_seq is
  'How many leases were lost since the installation began. Only private.requeue_lost_job takes numbers.';
