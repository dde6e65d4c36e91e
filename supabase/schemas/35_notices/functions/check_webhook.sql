-- Why: checks a webhook, with messages. Returns the chosen events without duplicates.
create function private.check_webhook(p_url text, p_events jsonb)
returns jsonb
language plpgsql
volatile
set search_path = ''
as $$
declare
  v_known jsonb := '["question_opened", "question_answered", "question_expired", "run_paused", "run_failed", "run_done", "review_needed", "budget_warning"]';
  v_events jsonb := coalesce(p_events, v_known);
begin
  if p_url is not null and (p_url !~ '^https?://[^/]+' or char_length(p_url) > 2000) then
    perform private.refuse(422, 'url must be an https address of at most 2000 characters.');
  end if;
  if jsonb_typeof(v_events) <> 'array' or jsonb_array_length(v_events) = 0 or not v_known @> v_events then
    perform private.refuse(422, 'events must name at least one of question_opened, question_answered, question_expired, run_paused, run_failed, run_done, review_needed, budget_warning.');
  end if;
  return (select jsonb_agg(distinct e) from jsonb_array_elements(v_events) e);
end;
$$;

comment on function private.check_webhook is 'Refuses what a webhook cannot be.';
