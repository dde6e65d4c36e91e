-- Why: monitoring wants a number that only grows, and jobs are deleted. A sequence counts without a lock, so that whoever
-- takes a job back waits for nobody; one that is rolled back counts all the same.
create sequence private.lost_lease_seq;

comment on sequence private.lost_lease_seq is
  'How many leases were lost since the installation began. Only private.requeue_lost_job takes numbers.';
