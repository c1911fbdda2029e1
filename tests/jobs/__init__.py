"""Tests of lanes and jobs."""
