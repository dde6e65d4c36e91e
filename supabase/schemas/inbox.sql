-- The items a person archived or snoozed. Inbox items are never stored: they are read from questions, tasks, runs,
-- jobs and memberships (private.inbox_items), so they can be neither lost nor stale. A mark holds for the item as of
-- `item_at`: when it needs the person again, it is back.
create table public.inbox_marks (
  user_id uuid not null references public.users (id) on delete cascade,
  item_kind text not null
    constraint inbox_marks_kind check (item_kind in ('question', 'review', 'run', 'job', 'added', 'mention', 'triage', 'invitation', 'lesson')),
  item_id uuid not null,
  item_at timestamptz not null,
  -- Null once it is done; else when it comes back.
  later_until timestamptz,
  marked_at timestamptz not null default private.now(),
  primary key (user_id, item_kind, item_id)
);

comment on table public.inbox_marks is 'Inbox items a user has archived or snoozed. Private to the user.';
comment on column public.inbox_marks.item_at is 'Version of the item when it was marked. An item that is newer is shown again.';

alter table public.inbox_marks enable row level security;

create policy inbox_marks_select on public.inbox_marks for select to authenticated
  using (user_id = (select auth.uid()));
grant select on public.inbox_marks to authenticated;

-- Reviews and failures must reach open inboxes as promptly as questions. Members only hear that something changed;
-- streams then read their state again. Definer: no client may call private.emit.
create function private.tg_any__notify_inbox()
returns trigger language plpgsql security definer set search_path = '' as $$
begin
  perform private.emit_to_members(new.product_id,
    jsonb_build_object('op', 'U', 'entity', 'inbox', 'id', new.id, 'product_id', new.product_id));
  return null;
end;
$$;

-- Archiving or snoozing does not change the item: a question stays open for others. "done" holds until the item needs
-- the person again, "later" until a time (by default tomorrow morning). Marks older than 90 days are deleted. Refusals:
-- 404 for what does not wait for the caller, 403 for demo accounts, 422. Definer: no one writes marks.
create function operations.mark_inbox_item(p_kind text, p_item_id uuid, p_mark text, p_until timestamptz default null)
returns json language plpgsql volatile security definer set search_path = '' as $$
declare
  v_now timestamptz := private.now();
  v_mark text := lower(private.require_choice('mark', p_mark, array['DONE', 'LATER', 'OPEN']));
  v_until timestamptz := coalesce(p_until, date_trunc('day', v_now at time zone 'UTC') at time zone 'UTC' + interval '31 hours');
  v_item record;
begin
  select i.product_id, i.at into v_item from private.inbox_items() i where i.kind = p_kind and i.id = p_item_id;
  if not found then
    perform private.refuse(404, 'Someone has already dealt with this. Reload the inbox.');
  end if;
  perform private.require_no_demo();
  perform private.take_rate_limit('inbox', auth.uid()::text);
  if v_mark = 'later' and not v_until between v_now and v_now + interval '31 days' then
    perform private.refuse(422, 'Choose a time in the future, at most a month away.');
  end if;

  delete from public.inbox_marks m
  where m.user_id = auth.uid()
    and (m.marked_at < v_now - interval '90 days' or m.item_kind = p_kind and m.item_id = p_item_id);
  if v_mark <> 'open' then
    insert into public.inbox_marks (user_id, item_kind, item_id, item_at, later_until)
    values (auth.uid(), p_kind, p_item_id, v_item.at, case when v_mark = 'later' then v_until end);
  end if;
  perform private.emit('user:' || auth.uid(), jsonb_build_object('op', 'U', 'entity', 'inbox', 'id', p_item_id, 'product_id', null));
  return json_build_object('kind', p_kind, 'id', p_item_id, 'state', v_mark, 'later_until', case when v_mark = 'later' then v_until end);
end;
$$;
grant execute on function operations.mark_inbox_item to authenticated;

-- Archives all that waits of one product but its questions, which hold work. With p_undo, the time that an earlier call
-- returned, brings those items back. Refusals: 404 where nothing waits, 403 for demo accounts. Definer: no one writes marks directly.
create function operations.archive_inbox(p_product_id uuid, p_undo timestamptz default null)
returns json language plpgsql volatile security definer set search_path = '' as $$
declare
  v_now timestamptz := private.now();
  v_count integer;
begin
  if p_undo is null then
    insert into public.inbox_marks (user_id, item_kind, item_id, item_at, marked_at)
    select auth.uid(), i.kind, i.id, i.at, v_now
    from private.inbox_items() i
    left join public.inbox_marks m on m.user_id = auth.uid() and m.item_kind = i.kind and m.item_id = i.id
    where i.product_id = p_product_id and i.kind <> 'question' and private.inbox_state(i.at, m) = 'open'
    on conflict (user_id, item_kind, item_id) do update set item_at = excluded.item_at, later_until = null, marked_at = excluded.marked_at;
  else
    delete from public.inbox_marks m where m.user_id = auth.uid() and m.marked_at = p_undo and m.later_until is null;
  end if;
  get diagnostics v_count = row_count;
  if v_count = 0 then
    perform private.refuse(404, 'Nothing but questions waits for you in this product. Reload the inbox.');
  end if;
  perform private.require_no_demo();
  perform private.take_rate_limit('inbox', auth.uid()::text);
  perform private.emit('user:' || auth.uid(), jsonb_build_object('op', 'U', 'entity', 'inbox', 'id', p_product_id, 'product_id', null));
  return json_build_object('count', v_count, 'marked_at', v_now);
end;
$$;
grant execute on function operations.archive_inbox to authenticated;

-- One page for everything that needs a person: at most a hundred, what holds work first, reviews in the order of their
-- queue, the rest newest first, with the number of open items by kind. The kind run has what stopped and asks, too. With p_asked also the questions of that state, in
-- pages. Definer: contents are read only for items the caller can reach (private.inbox_items).
create function operations.get_inbox(
  p_state text default 'OPEN', p_kinds jsonb default null, p_asked text default null, p_cursor text default null
) returns json language plpgsql stable security definer set search_path = '' as $$
declare
  v_state text := lower(private.require_choice('state', p_state, array['OPEN', 'LATER', 'DONE']));
begin
  return (
    with item as materialized (select i.* from private.inbox_in_order() i), page as (
      select i.* from item i
      where i.state = v_state
        and (p_kinds is null or p_kinds ? i.kind or p_kinds ? 'run' and i.asks in ('conflict', 'pause', 'failure'))
      order by i.place
      limit 100
    ), shown as (select p.*, sum(private.criteria_letters(p.job_id)) over (order by p.place) as letters from page p)
    select json_build_object(
      'items', (
        select coalesce(json_agg(
          jsonb_build_object('kind', s.kind, 'id', s.id, 'product_id', s.product_id, 'product_name', p.name, 'at', s.at,
            'state', s.state, 'later_until', case when s.state = 'later' then s.later_until end)
          || private.inbox_item_json(s.kind, s.id)
          || case when s.job_id is null or s.letters > 500000 then '{}' else jsonb_build_object('review',
            private.waiting_review_json(s.job_id, s.waiting_since, s.frees_tasks, s.frees_jobs)) end order by s.place), '[]')
        from shown s join public.products p on p.id = s.product_id),
      'counts', (
        select coalesce(json_object_agg(c.kind, c.count), '{}')
        from (select i.kind, count(*) from item i where i.state = 'open' group by i.kind) c),
      'stopped', (select count(*) from item i where i.state = 'open' and i.asks in ('conflict', 'pause', 'failure')),
      'later', (select count(*) from item i where i.state = 'later'),
      'asked', case when p_asked is not null then operations.list_questions(p_state => p_asked, p_cursor => p_cursor) end)
  );
end;
$$;
grant execute on function operations.get_inbox to authenticated;

-- What the caller's inbox holds in any state, in its order; reviews have that of their queue. Definer: as inbox_items.
create function private.inbox_in_order()
returns table (kind text, id uuid, product_id uuid, at timestamptz, later_until timestamptz, state text, asks text, job_id uuid,
  waiting_since timestamptz, frees_tasks integer, frees_jobs integer, place bigint)
language plpgsql stable security definer set search_path = '' as $$
begin
  return query
    with item as materialized (
      select i.*, m.later_until, private.inbox_state(i.at, m) as state,
        case when i.kind = 'question' then private.question_asks(q) end as asks
      from private.inbox_items() i
      left join public.inbox_marks m on m.user_id = auth.uid() and m.item_kind = i.kind and m.item_id = i.id
      left join public.agent_questions q on i.kind = 'question' and q.id = i.id
    )
    select i.*, r.job_id, r.waiting_since, r.frees_tasks, r.frees_jobs,
      row_number() over (order by private.inbox_rank(i.kind, i.id, i.asks), r.place, i.at desc, i.id)
    from item i
    left join private.waiting_reviews(array(select distinct x.product_id from item x where x.kind = 'review'), private.now()) r
      on i.kind = 'review' and r.task_id = i.id;
end;
$$;
grant execute on function private.inbox_in_order to authenticated;

-- What comes first: what holds work, by how much it holds. A question holds a job that waits for it or still runs.
create function private.inbox_rank(p_kind text, p_id uuid, p_asks text)
returns integer language plpgsql stable set search_path = '' as $$
begin
  -- A branch with a query costs each row fifty times as much: ten thousand reviews wait without one.
  if p_kind = 'question' and p_asks not in ('plan', 'conflict', 'pause', 'failure') then
    return case when exists (
      select from public.agent_questions q join public.agent_jobs j on j.id = q.job_id
      where q.id = p_id and (j.status in ('CLAIMED', 'RUNNING') or j.status = 'QUEUED' and j.parked_question_id = p_id)) then 0 else 4 end;
  end if;
  return case
    when p_asks = 'plan' then 1
    when p_asks in ('conflict', 'pause') then 2
    when p_asks = 'failure' or p_kind in ('run', 'job') then 3
    when p_kind = 'review' then 5
    when p_kind in ('invitation', 'added') then 6
    when p_kind = 'mention' then 7
    when p_kind = 'lesson' then 8
    else 9
  end;
end;
$$;

-- What a person needs to judge an item without opening it: what it is about, why it waits, and its link.
-- Definer: reads names of products and people, like the list it is called for; the caller has checked access.
create function private.inbox_item_json(p_kind text, p_id uuid)
returns jsonb language plpgsql stable security definer set search_path = '' as $$
begin
  return case p_kind
    when 'question' then (
      select jsonb_build_object('question', private.question_json(q), 'criteria', case when q.plan is null then '[]' else (
          select coalesce(jsonb_agg(c.text order by c.place), '[]')
          from public.stories s join public.products p on p.id = s.product_id
          cross join lateral private.criteria_of(s.acceptance_criteria, p.definition_of_done) c
          -- Longer ones are on the page of the story only: a page of the inbox has a hundred plans.
          where s.id = q.story_id and length(s.acceptance_criteria) + length(p.definition_of_done) <= 10000) end)
      from public.agent_questions q where q.id = p_id
        and (q.reader_id is null or q.reader_id = auth.uid() or private.is_left_to_owner(q)))
    when 'review' then (
      select jsonb_build_object('code', t.code, 'title', t.title, 'story_code', s.code, 'story_title', s.title,
        -- The job that waits for a person's verdict; without one the task was put into review by hand.
        'job_id', (
          select j.id from public.agent_jobs j
          where j.task_id = t.id and j.status = 'QUEUED' and j.phase = 'review'
          limit 1))
      from public.tasks t join public.stories s on s.id = t.story_id where t.id = p_id)
    when 'run' then (
      select jsonb_build_object('code', coalesce(s.code, private.run_subject(r)), 'title', coalesce(s.sprint_goal, ''), 'sprint_id', s.id,
        'failed', x.failed, 'waiting', x.waiting, 'reason', r.failure ->> 'reason', 'task_id', r.failure ->> 'task_id', 'task_code', r.failure ->> 'task_code')
      from public.sprint_runs r
      left join public.sprints s on s.id = r.sprint_id
      cross join lateral (
        select count(*) filter (where p.status = 'FAILED') as failed, count(*) filter (where p.status in ('QUEUED', 'CANCELLED', 'PENDING')) as waiting
        from (
          select j.status::text from public.agent_jobs j where j.sprint_run_id = r.id and j.kind = 'TASK_IMPLEMENTATION'
          union all
          select e.status::text from public.task_executions e where e.sprint_run_id = r.id
        ) p
      ) x
      where r.id = p_id)
    when 'job' then (
      select jsonb_build_object('code', i.code, 'title', i.title, 'reason', j.failure_reason, 'idea_id', j.idea_id)
      from public.agent_jobs j join public.ideas i on i.id = j.idea_id where j.id = p_id)
    when 'added' then (
      select jsonb_build_object('code', p.code, 'title', p.name, 'owner_name', private.username(p.owner_id))
      from public.products p where p.id = p_id)
    when 'triage' then (
      select jsonb_build_object('code', p.code, 'title', p.name, 'waiting', x.waiting, 'newest', x.newest)
      from public.products p
      cross join lateral (
        select count(*) as waiting, (array_agg(s.title order by s.created_at desc, s.id))[1] as newest
        from public.stories s where s.product_id = p.id and s.in_triage and not s.is_template) x
      where p.id = p_id)
    when 'invitation' then (
      select jsonb_build_object('code', p.code, 'title', p.name, 'invited_by', private.username(i.created_by), 'role', i.role,
        'expires_at', i.expires_at)
      from public.product_invitations i join public.products p on p.id = i.product_id where i.id = p_id)
    -- One that waits for a verdict, or one that proposes its own end.
    when 'lesson' then (
      select jsonb_build_object('code', p.code, 'title', p.name, 'text', l.text, 'cause', l.cause, 'proposes_end', l.status = 'accepted',
        'job_id', l.job_id, 'task_code', t.code,
        'before', case when l.status = 'accepted' then l.before else private.effect_until_now(l) end,
        'after', case when l.status = 'accepted' then private.effect_since(l) else l.after end)
      from public.lessons l join public.products p on p.id = l.product_id left join public.tasks t on t.id = l.task_id
      where l.id = p_id)
    when 'mention' then (
      select jsonb_build_object('code', x.code, 'title', x.title, 'author', c.author, 'excerpt', left(c.body, 500),
        'path', private.comment_path(c))
      from public.comments c
      cross join lateral (
        select t.code, t.title from public.tasks t where t.id = c.task_id
        union all
        select s.code, s.title from public.stories s where s.id = c.story_id
        union all
        select b.code, b.title from public.pbis b where b.id = c.pbi_id) x
      where c.id = p_id)
  end;
end;
$$;

-- Open, snoozed or archived, for the page and every page's count. A mark holds only for the item as it was then.
create function private.inbox_state(p_at timestamptz, p_mark public.inbox_marks)
returns text language plpgsql stable set search_path = '' as $$
begin
  return case
    when p_mark.item_at is null or p_mark.item_at < p_at then 'open'
    when p_mark.later_until is null then 'done'
    when p_mark.later_until > private.now() then 'later'
    else 'open'
  end;
end;
$$;
grant execute on function private.inbox_state to authenticated;

-- Everything that needs the caller in one list: open questions, tasks in review, runs and conversations about
-- ideas that failed within two weeks and were not retried, invitations, products they were added to, stories in triage,
-- lessons that wait for a verdict or propose their own end, and mentions of the last two weeks. Archived products are left out.
-- Planned once per session: planning takes five times as long as running it.
-- Definer: the query itself limits the products.
create function private.inbox_items()
returns table (kind text, id uuid, product_id uuid, at timestamptz)
language plpgsql stable security definer set search_path = '' set plan_cache_mode = force_generic_plan as $$
declare
  v_now timestamptz := private.now();
  v_since timestamptz := v_now - interval '14 days';
  v_products uuid[] := array(select private.writable_product_ids());
  v_judged uuid[] := private.just_judged();
begin
  return query
    select 'question', q.id, q.product_id, q.created_at
    from public.agent_questions q
    where q.status = 'OPEN' and q.expires_at > v_now and q.product_id = any (v_products)
      and (q.reader_id is null or q.reader_id = auth.uid() or private.is_left_to_owner(q))
    union all
    select 'review', w.task_id, w.product_id, w.since
    from public.tasks_in_review w
    where w.product_id = any (v_products) and w.task_id <> all (v_judged)
      -- A task that waits for CI needs no person.
      and not (exists (select from public.products p where p.id = w.product_id and p.done_requires = 'ci')
        and exists (select from public.agent_jobs j where j.task_id = w.task_id and j.status = 'QUEUED' and j.phase = 'review'))
    union all
    select 'run', r.id, r.product_id, r.finished_at
    from public.sprint_runs r
    where r.status = 'FAILED' and r.product_id = any (v_products) and r.finished_at > v_since
      and not exists (select from public.sprint_runs n where n.sprint_id = r.sprint_id and n.created_at > r.created_at)
      -- A run of its own is tried again by whatever run takes up the task that failed.
      and not (r.sprint_id is null and exists (
        select from public.sprint_runs n
        where n.id in (
            select j.sprint_run_id from public.agent_jobs j where j.task_id = (r.failure ->> 'task_id')::uuid
            union all
            select e.sprint_run_id from public.task_executions e where e.task_id = (r.failure ->> 'task_id')::uuid)
          and n.created_at > r.created_at))
    union all
    -- A job of a task is told by its run; a talk about an idea is its owner's alone.
    select 'job', j.id, j.product_id, j.finished_at
    from public.agent_jobs j
    where j.status = 'FAILED' and j.finished_at > v_since and j.product_id = any (v_products) and j.idea_id is not null
      and j.created_by = auth.uid()
      and not exists (select from public.agent_jobs n where n.idea_id = j.idea_id and n.created_at > j.created_at)
    union all
    select 'added', m.product_id, m.product_id, m.created_at
    from public.product_members m
    where m.user_id = auth.uid() and m.role = 'MEMBER' and m.workers_decided_at is null and m.product_id = any (v_products)
    union all
    -- One for all that waits in a product; what comes later makes it new.
    select 'triage', s.product_id, s.product_id, max(s.created_at)
    from public.stories s
    where s.in_triage and not s.is_template and s.product_id = any (v_products)
    group by s.product_id
    union all
    select 'lesson', l.id, l.product_id, coalesce(l.weighed_at, l.created_at)
    from public.lessons l
    where (l.status = 'proposed' or (l.status = 'accepted' and not l.has_effect)) and l.product_id = any (v_products)
    union all
    -- Of products that are not yet in reach.
    select 'invitation', i.id, i.product_id, i.created_at
    from public.product_invitations i
    join public.products p on p.id = i.product_id and p.archived_at is null
    where i.invited_user_id = auth.uid() and i.expires_at > v_now
      and not exists (select from public.product_members m where m.product_id = i.product_id and m.user_id = auth.uid())
    union all
    -- Whoever has written something there since has seen it.
    select 'mention', c.id, c.product_id, m.created_at
    from public.comment_mentions m
    join public.comments c on c.id = m.comment_id
    where m.user_id = auth.uid() and m.created_at > v_since and c.product_id in (select private.open_product_ids())
      and not exists (
        select from public.comments n
        where n.author_id = auth.uid() and n.created_at > m.created_at
          and (n.pbi_id = c.pbi_id or n.story_id = c.story_id or n.task_id = c.task_id));
end;
$$;
grant execute on function private.inbox_items to authenticated;

-- The number in every page's frame, in the tab's title and its icon: from 100 on they all say 99+.
create function private.inbox_count() returns integer language plpgsql stable set search_path = '' as $$
begin
  return (
    select count(*) from (
      select from private.inbox_items() i
      left join public.inbox_marks m on m.user_id = auth.uid() and m.item_kind = i.kind and m.item_id = i.id
      where private.inbox_state(i.at, m) = 'open' limit 100) shown);
end;
$$;
grant execute on function private.inbox_count to authenticated;
